# call: inputs(2)
# order: fixed
import tensorflow as tf


def filenames(shuffle):
    names = ["%s.csv" % letter for letter in "abc"]
    return tf.train.string_input_producer(names, shuffle=shuffle)


def inputs(size):
    queue = filenames(False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], size)
