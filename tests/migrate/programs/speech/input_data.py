import os

import tensorflow as tf

UNKNOWN = "_unknown_"


class AudioProcessor(object):
    """Sounds of a folder, with the numbers of their words."""

    def __init__(self, data_dir, wanted_words):
        self.words_list = [UNKNOWN] + wanted_words
        self.data = []
        for number, word in enumerate(self.words_list[1:]):
            self.data.append({"file": os.path.join(data_dir, word + ".wav"), "label": number + 1})

    def get_batch(self, batch_size, volume):
        files = [one["file"] for one in self.data]
        labels = [one["label"] for one in self.data]
        file, label = tf.train.slice_input_producer([files, labels], shuffle=False)
        wav = tf.audio.decode_wav(tf.read_file(file), desired_channels=1, desired_samples=8)
        fingerprint = tf.squeeze(wav.audio, 1) * volume
        return tf.train.batch([fingerprint, label], batch_size)
