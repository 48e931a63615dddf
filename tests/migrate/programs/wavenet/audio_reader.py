import tensorflow as tf


def find_files(pattern):
    return sorted(tf.gfile.Glob(pattern))


class AudioReader(object):
    """Pieces of sounds of one length."""

    def __init__(self, pattern, sample_size, batch_size):
        self.files = find_files(pattern)
        if not self.files:
            raise ValueError("no sounds in " + pattern)
        self.sample_size = sample_size
        self.batch_size = batch_size

    def batches(self):
        queue = tf.train.string_input_producer(self.files, shuffle=False)
        reader = tf.WholeFileReader()
        _, contents = reader.read(queue)
        audio = tf.audio.decode_wav(contents, desired_channels=1).audio
        pieces = tf.reshape(audio, [-1, self.sample_size])
        return tf.train.batch([pieces], self.batch_size, enqueue_many=True)
