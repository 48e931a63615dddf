# call: inputs(['a.csv', 'b.csv'], 2, lambda line: tf.decode_csv(line, [[0], [0.0]]))
# order: fixed
import tensorflow as tf


def inputs(files, size, decode):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    return tf.train.batch(decode(line), size)
