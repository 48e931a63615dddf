import tensorflow as tf


def batches(names, size):
    queue = tf.train.string_input_producer(names, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], batch_size=size)
