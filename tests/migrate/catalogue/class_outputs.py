# call: Batches().build(['a.csv'])
# order: fixed
import tensorflow as tf


class Batches(object):
    """Keeps what it makes."""

    def build(self, files):
        self.queue = tf.train.string_input_producer(files, shuffle=False)
        self.reader = tf.TextLineReader(skip_header_lines=1)
        _, self.line = self.reader.read(self.queue)
        self.number, self.half = tf.decode_csv(self.line, [[0], [0.0]])
        return tf.train.batch([self.number, self.half], 2)
