# call: batch_of(ROWS, 4)
# order: any
import numpy as np
import tensorflow as tf

ROWS = np.linspace(0, 1, 24).reshape([8, 3]).astype(np.float32)


def batch_of(rows, size):
    data = tf.constant(rows)
    index = tf.train.range_input_producer(len(rows), num_epochs=3).dequeue()
    row = tf.gather(data, index)
    binary = tf.to_float(tf.greater(row, 0.5))
    return tf.train.shuffle_batch([row, binary, index], size, capacity=24, min_after_dequeue=8)
