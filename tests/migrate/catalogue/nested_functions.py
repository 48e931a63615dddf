# call: make_inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def make_inputs(files, size):
    def read():
        queue = tf.train.string_input_producer(files, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        return tf.decode_csv(line, [[0], [0.0]])

    def scaled(values):
        number, half = values
        return tf.to_float(number) / 10.0, half

    number, half = scaled(read())
    return tf.train.batch([number, half], size)
