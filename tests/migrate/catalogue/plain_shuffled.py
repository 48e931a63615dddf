# call: inputs(['a.csv', 'b.csv', 'c.csv'], 3)
# order: any
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=1)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    numbers, halves = tf.train.shuffle_batch([number, half], size, capacity=30, min_after_dequeue=9, num_threads=2)
    return numbers, halves
