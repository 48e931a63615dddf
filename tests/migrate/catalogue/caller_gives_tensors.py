# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def batched(number, half, n):
    half = tf.square(half)
    return tf.train.batch([number, half], n)


def inputs(files, n):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return batched(number, half, n)
