# call: inputs(['a.bin', 'b.bin'], 3)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    with tf.name_scope("input"), tf.device("/cpu:0"):
        with tf.name_scope("files"):
            queue = tf.train.string_input_producer(files, shuffle=False, name="names")
        with tf.name_scope("read"):
            _, value = tf.FixedLengthRecordReader(4).read(queue)
            pixels = tf.cast(tf.decode_raw(value, tf.uint8), tf.int32)
            pixels.set_shape([4])
        with tf.name_scope("batch"):
            return tf.train.batch([pixels[1:], pixels[0]], size)
