# call: inputs(['a.bin'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, record = tf.FixedLengthRecordReader(4).read(queue)
    pixels = tf.cast(tf.reshape(tf.decode_raw(record, tf.uint8), [2, 2, 1]), tf.float32)
    images, sums = tf.train.batch([pixels, tf.reduce_sum(pixels)], size)
    # Show them in the visualizer.
    tf.summary.image("images", images)
    return images, sums
