# call: inputs(['a.tfrecords', 'b.tfrecords'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    keys, records = tf.TFRecordReader().read_up_to(queue, 3)
    joined = tf.string_join([keys, records], "=")
    return tf.train.batch([keys, joined, tf.cumsum(tf.ones_like(records, tf.int32))], size, enqueue_many=True)
