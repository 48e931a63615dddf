# call: inputs(['a.csv', 'b.csv'], 3)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    rows = tf.range(number % 4 + 1)
    return tf.train.batch([rows, half], size, dynamic_pad=True)
