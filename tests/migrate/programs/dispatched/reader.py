import tensorflow as tf


def inputs(size, epochs=None):
    queue = tf.train.string_input_producer(["lines.txt"], num_epochs=epochs, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], size)
