# call: inputs(2)
# order: fixed
import tensorflow as tf


def inputs(size):
    images = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    labels = [0, 1, 2]
    image, label = tf.train.slice_input_producer([images, labels], shuffle=False)
    image = tf.reshape(image, [2, 1])
    return tf.train.batch([image, label], size)
