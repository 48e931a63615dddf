# call: inputs(['a.csv', 'b.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    key, line = reader.read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([key, number], size)
