# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    noise = tf.random_uniform([], 1.0, 1.0 + 1e-12)
    return tf.train.batch([number, half * noise], size)
