# call: odd_rows(['a.csv', 'b.csv'], 2)
# order: fixed
import tensorflow as tf


def odd_rows(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.maybe_batch([number, half], tf.equal(number % 2, 1), size)
