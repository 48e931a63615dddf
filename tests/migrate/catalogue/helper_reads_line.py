# call: inputs(['a.csv', 'c.csv'], 2)
# order: fixed
import tensorflow as tf


def read_line(files):
    queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    return line


def inputs(files, size):
    line = read_line(files)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], size)
