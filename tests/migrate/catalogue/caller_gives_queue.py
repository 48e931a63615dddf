# call: inputs(['a.csv', 'b.csv'], 2)
# order: fixed
import tensorflow as tf


def batch_from(queue, n):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], n)


def inputs(files, n):
    queue = tf.train.string_input_producer(files, shuffle=False)
    numbers, halves = batch_from(queue, n)
    return {"numbers": numbers, "halves": halves}
