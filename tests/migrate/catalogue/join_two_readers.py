# call: inputs(3)
# order: any
import tensorflow as tf


def read(queue, header):
    _, line = tf.TextLineReader(skip_header_lines=header).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return number, half


def inputs(size):
    first = tf.train.string_input_producer(["a.csv"], num_epochs=1)
    second = tf.train.string_input_producer(["b.csv"], num_epochs=1)
    return tf.train.batch_join([read(first, 1), read(second, 1)], size)
