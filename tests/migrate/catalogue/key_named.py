# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    key, value = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(value, [[0], [0.0]])
    number = tf.identity(number, name="number")
    return tf.train.batch([number, half], size)
