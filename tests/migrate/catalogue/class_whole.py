# call: Lines(FILES, 3).inputs()
# order: fixed
import tensorflow as tf

FILES = ["a.csv", "b.csv", "c.csv"]


class Lines(object):
    """Reads lines of two columns."""

    def __init__(self, files, batch_size):
        self.files = files
        self.batch_size = batch_size

    def inputs(self):
        queue = tf.train.string_input_producer(self.files, shuffle=False)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.batch([number, half * 2.0], self.batch_size)
