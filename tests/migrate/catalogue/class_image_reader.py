# call: ImageReader([[1, 2], [3, 4], [5, 6]], [0, 1, 0]).dequeue(2)
# order: fixed
import tensorflow as tf


class ImageReader(object):
    """Makes pairs of pictures and labels."""

    def __init__(self, pictures, labels):
        self.queue = tf.train.slice_input_producer([pictures, labels], shuffle=False)
        self.image, self.label = self.read()

    def read(self):
        return tf.to_float(self.queue[0]) - 1.5, self.queue[1]

    def dequeue(self, num_elements):
        return tf.train.batch([self.image, self.label], num_elements)
