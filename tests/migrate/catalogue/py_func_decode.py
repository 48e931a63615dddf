# call: inputs(['a.csv'], 2)
# order: fixed
import numpy as np
import tensorflow as tf


def _doubled(number):
    return np.int32(number * 2)


def inputs(files, size):
    _, line = tf.TextLineReader(skip_header_lines=1).read(tf.train.string_input_producer(files, shuffle=False))
    number, half = tf.decode_csv(line, [[0], [0.0]])
    doubled = tf.py_func(_doubled, [number], tf.int32)
    doubled.set_shape([])
    return tf.train.batch([doubled, half], size)
