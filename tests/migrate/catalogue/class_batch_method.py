# call: Cifar('a.bin').inputs(2)
# order: fixed
import tensorflow as tf


class Cifar(object):
    def __init__(self, path):
        self.path = path

    def _make_batch(self, pixels, label, size):
        return tf.train.batch([pixels, label], batch_size=size, num_threads=1, capacity=3 * size)

    def inputs(self, size):
        queue = tf.train.string_input_producer([self.path], shuffle=False)
        _, value = tf.FixedLengthRecordReader(4).read(queue)
        data = tf.decode_raw(value, tf.uint8)
        label = tf.cast(data[0], tf.int64)
        pixels = tf.reshape(tf.slice(data, [1], [3]), [3])
        return self._make_batch(pixels, label, size)
