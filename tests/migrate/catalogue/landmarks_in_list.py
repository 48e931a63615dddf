# call: Landmarks(LINES).next(2)
# order: fixed
import numpy as np
import tensorflow as tf

LINES = ["pic_0.png 1 2 3 4", "pic_1.png 2 2 1 0", "pic_3.png 0 5 3 3"]


class Landmarks:
    """Pictures and the two points in each of them."""

    def __init__(self, lines, flip=False):
        rows = [line.split(" ") for line in lines]
        self._names = np.array([row[0] for row in rows])
        self._points = np.array([[float(one) for one in row[1:]] for row in rows], dtype=np.float32)
        self._flip = flip

    def _image(self, name):
        image = tf.image.decode_png(tf.read_file(name), channels=3)
        image = tf.image.resize_nearest_neighbor([image], [2, 3])[0]
        return tf.image.flip_left_right(image) if self._flip else image

    def next(self, n):
        name, points = tf.train.slice_input_producer([self._names, self._points], shuffle=False)
        image = self._image(name)
        image.set_shape([2, 3, 3])
        points = tf.reshape(points, [2, 2])
        return tf.train.batch([image, points], n)
