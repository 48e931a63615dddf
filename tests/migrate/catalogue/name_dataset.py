# call: inputs(['b.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(dataset, size):
    queue = tf.train.string_input_producer(dataset, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], size)
