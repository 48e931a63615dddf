# call: train_batch(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def example(files, scale=1.0):
    queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    key, line = reader.read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    scaled = half * scale
    return number, scaled


def train_batch(files, size):
    number, half = example(files, scale=4.0)
    numbers, halves = tf.train.batch([number, half], batch_size=size)
    return numbers, halves
