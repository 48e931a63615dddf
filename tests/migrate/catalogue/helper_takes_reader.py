# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def read_and_decode(reader, queue):
    _, line = reader.read(queue)
    return tf.decode_csv(line, [[0], [0.0]])


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    number, half = read_and_decode(reader, queue)
    return tf.train.batch([number, half], size)
