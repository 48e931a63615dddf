import tensorflow as tf


def numbers(name, batch_size, num_epochs=None):
    """Each number of a text file with its half and its square."""
    queue = tf.train.string_input_producer([name], num_epochs=num_epochs, shuffle=False)
    _, text = tf.TextLineReader().read(queue)
    number = tf.string_to_number(text)
    return tf.train.batch([tf.stack([number, number / 2, number * number]) / 16.0], batch_size)
