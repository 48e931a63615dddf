# call: Reader(['c.csv']).batch(3)
# order: fixed
import tensorflow as tf


class Reader(object):
    def __init__(self, files):
        self.queue = tf.train.string_input_producer(files, shuffle=False)

    def batch(self, n):
        _, line = tf.TextLineReader(skip_header_lines=1).read(self.queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.batch([number, half], n)
