# call: inputs(['a.bin', 'b.bin'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.FixedLengthRecordReader(4)
    key, record = reader.read(queue)
    pixels = tf.decode_raw(record, tf.uint8)
    pixels.set_shape([4])
    return tf.train.batch([key, pixels], size)
