# call: Half(['a.csv']).inputs(2)
# order: fixed
import tensorflow as tf


class Base(object):
    def __init__(self, files):
        self.files = files

    def decode(self, line):
        raise NotImplementedError()

    def inputs(self, size):
        queue = tf.train.string_input_producer(self.files, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        return tf.train.batch(self.decode(line), size)


class Half(Base):
    def decode(self, line):
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return [half, number]
