# call: AudioProcessor('.', ['word_0.wav', 'word_2.wav']).get_data(2)
# order: fixed
import os

import tensorflow as tf

SILENCE_LABEL = "_silence_"


class AudioProcessor(object):
    def __init__(self, data_dir, wanted):
        self.data_dir = data_dir
        self.prepare_data_index(wanted)

    def prepare_data_index(self, wanted):
        self.words_list = [SILENCE_LABEL] + wanted
        self.word_to_index = {word: index for index, word in enumerate(self.words_list)}

    def get_data(self, batch_size, volume=0.5):
        names = [os.path.join(self.data_dir, word) for word in self.words_list[1:]]
        labels = [self.word_to_index[word] for word in self.words_list[1:]]
        name, label = tf.train.slice_input_producer([names, labels], shuffle=False)
        sound = tf.audio.decode_wav(tf.read_file(name), desired_channels=1, desired_samples=10)
        foreground = tf.multiply(tf.clip_by_value(sound.audio, -1.0, 1.0), volume)
        return tf.train.batch([tf.squeeze(foreground, 1), sound.sample_rate, label], batch_size)
