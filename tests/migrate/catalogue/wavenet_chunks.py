# call: AudioReader('word_?.wav', 4).dequeue(2)
# order: fixed
import tensorflow as tf


class AudioReader(object):
    """Cuts sounds into pieces of one size."""

    def __init__(self, pattern, sample_size, silence_threshold=None):
        self.files = sorted(tf.gfile.Glob(pattern))
        self.sample_size = sample_size
        self.silence_threshold = silence_threshold

    def _pieces(self, audio):
        padded = tf.pad(audio, [[1, 0], [0, 0]])
        count = tf.shape(padded)[0] // self.sample_size
        return tf.reshape(padded[: count * self.sample_size], [-1, self.sample_size])

    def dequeue(self, num_elements):
        queue = tf.train.string_input_producer(self.files, shuffle=False)
        _, contents = tf.WholeFileReader().read(queue)
        decoded = tf.audio.decode_wav(contents, desired_channels=1)
        return tf.train.batch([self._pieces(decoded.audio)], num_elements, enqueue_many=True)
