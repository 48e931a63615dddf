# call: AudioChunks('a.bin', receptive_field=2, chunk=3).dequeue(2)
# order: fixed
import tensorflow as tf


class AudioChunks(object):
    """Pieces of a sound, each with what it has to be predicted from in front of it."""

    def __init__(self, path, receptive_field, chunk):
        self.path = path
        self.receptive_field = receptive_field
        self.chunk = chunk

    def normalized(self, samples):
        samples = tf.to_float(samples) / 127.5 - 1.0
        return tf.pad(samples, [[self.receptive_field, 0]])

    def dequeue(self, batch_size):
        files = tf.train.string_input_producer([self.path], shuffle=False)
        _, value = tf.FixedLengthRecordReader(self.chunk).read(files)
        piece = self.normalized(tf.decode_raw(value, tf.uint8))
        piece.set_shape([self.receptive_field + self.chunk])
        return tf.train.batch([tf.expand_dims(piece, 1)], batch_size)
