# call: inputs(['a.csv', 'b.csv'], 'eval')
# order: fixed
import tensorflow as tf


def rows_of(names):
    queue = tf.train.string_input_producer(names, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    return tf.decode_csv(line, [[0], [0.0]])


def grouped(number, half, mode, size=3):
    if mode == 'train':
        return tf.train.shuffle_batch([number, half], size, capacity=30, min_after_dequeue=9)
    if mode == 'eval':
        return tf.train.batch([number, half], size)
    numbers, halves = tf.train.batch([number, half], 1)
    return numbers, halves


def inputs(names, mode):
    number, half = rows_of(names)
    numbers, halves = grouped(number, half, mode)
    return numbers, halves


def single(names):
    number, half = rows_of(names)
    return grouped(number, half, 'single')
