# call: people(2)
# order: fixed
import numpy as np
import tensorflow as tf

FACES = np.arange(20, dtype=np.float32).reshape([5, 4])
PEOPLE = np.array([3, 1, 4, 1, 5])


def people(batch_size):
    """Numbers of rows come from the queue, and the rows from arrays of the graph."""
    index = tf.train.range_input_producer(len(PEOPLE), num_epochs=None, shuffle=False, capacity=32).dequeue()
    face = tf.gather(tf.constant(FACES), index)
    person = tf.gather(tf.constant(PEOPLE), index)
    mean, variance = tf.nn.moments(face, [0])
    white = (face - mean) * tf.rsqrt(tf.maximum(variance, 1.0))
    return tf.train.batch([white, person, index], batch_size, capacity=4 * batch_size, allow_smaller_final_batch=False)
