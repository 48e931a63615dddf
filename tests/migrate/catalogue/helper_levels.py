# call: inputs(2)
# order: fixed
import tensorflow as tf


def _queue(names):
    return tf.train.string_input_producer(names, shuffle=False)


def _line(queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    return reader.read(queue)


def _example(names):
    key, line = _line(_queue(names))
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return number, half


def _batched(tensors, size):
    return tf.train.batch(tensors, batch_size=size, capacity=32)


def inputs(size):
    number, half = _example(["c.csv", "a.csv"])
    return _batched([number, half + 1.0], size)
