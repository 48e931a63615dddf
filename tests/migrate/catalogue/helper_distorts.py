# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def distort(x, training):
    if training:
        return x * 10.0
    return x


def read(queue):
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return distort(half, True), number


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    half, number = read(queue)
    return tf.train.batch([half, number], size)
