# call: Loader(['a.csv', 'b.csv'], 3).batch()
# order: fixed
import tensorflow as tf


class Loader(object):
    def __init__(self, files, size):
        self._files, self._size = files, size

    def _read(self, queue):
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(queue)
        return line

    def _parse(self, line):
        number, half = tf.decode_csv(line, record_defaults=[[0], [0.0]])
        return number, tf.sqrt(half)

    def batch(self):
        queue = tf.train.string_input_producer(self._files, shuffle=False)
        number, root = self._parse(self._read(queue))
        numbers, roots = tf.train.batch([number, root], batch_size=self._size, capacity=64)
        return numbers, roots
