# call: Data(['a.csv', 'b.csv']).train(2)
# order: fixed
import tensorflow as tf


class Data(object):
    """The queue of names is there before any batch is asked for."""

    def __init__(self, files):
        self.queue = tf.train.string_input_producer(files, shuffle=False)
        self.reader = tf.TextLineReader(skip_header_lines=1)

    def train(self, size):
        _, line = self.reader.read(self.queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.batch([number, half], size)
