# call: weighted(['a.csv', 'b.csv', 'c.csv'], 3)
# order: fixed
import tensorflow as tf


def weighted(files, size):
    key, line = tf.TextLineReader(skip_header_lines=1).read(tf.train.string_input_producer(files, shuffle=False))
    number, half = tf.decode_csv(line, [[0], [0.0]])
    weight = tf.cond(tf.greater(number, 9), lambda: half * 2.0, lambda: half)
    return tf.train.batch({"number": number, "weight": weight, "key": key}, size)
