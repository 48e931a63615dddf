# call: Pixels('?.bin').read(2)
# order: fixed
import tensorflow as tf


class Pixels(object):
    SIZE = 4

    def __init__(self, pattern):
        self.pattern = pattern

    def _decode(self, record):
        pixels = tf.decode_raw(record, tf.uint8)
        pixels.set_shape([self.SIZE])
        return tf.cast(pixels, tf.float32) / 256.0

    def read(self, batch_size):
        names = sorted(tf.gfile.Glob(self.pattern))
        queue = tf.train.string_input_producer(names, shuffle=False)
        reader = tf.FixedLengthRecordReader(record_bytes=self.SIZE)
        key, record = reader.read(queue)
        pixels = self._decode(record)
        return tf.train.batch([pixels, tf.reduce_max(pixels)], batch_size=batch_size, num_threads=1)
