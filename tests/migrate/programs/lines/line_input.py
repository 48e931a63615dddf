import tensorflow as tf


def lines(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], size)
