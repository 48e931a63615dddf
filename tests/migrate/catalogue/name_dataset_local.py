# call: inputs('abc', 2)
# order: fixed
import tensorflow as tf


def inputs(letters, size):
    dataset = ["%s.csv" % letter for letter in letters]
    queue = tf.train.string_input_producer(dataset, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], size)
