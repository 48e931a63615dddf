import tensorflow as tf


def read_lines(pattern, batch_size):
    """Pairs of a number and its half, one batch after the other."""
    queue = tf.train.string_input_producer(tf.gfile.Glob(pattern), shuffle=False)
    reader = tf.TextLineReader()
    _, line = reader.read(queue)
    x = tf.string_to_number(line)
    x.set_shape([])
    x_batch, y_batch = tf.train.batch([x, x / 2.0], batch_size=batch_size, capacity=8)
    return x_batch, y_batch
