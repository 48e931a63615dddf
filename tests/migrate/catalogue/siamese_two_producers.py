# call: Pairs(['a.csv'], ['b.csv']).get(2)
# order: fixed
import tensorflow as tf


class Pairs(object):
    def __init__(self, firsts, seconds):
        self.firsts, self.seconds = firsts, seconds

    def _line(self, files):
        queue = tf.train.string_input_producer(files, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        return tf.decode_csv(line, [[0], [0.0]])

    def get(self, size):
        first, _ = self._line(self.firsts)
        second, weight = self._line(self.seconds)
        label = tf.to_float(tf.equal(first % 2, second % 2))
        return tf.train.batch([first, second, label, weight], size)
