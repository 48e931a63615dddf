# call: DataLoader('pic_?.png', 2, scale_size=4)()
# order: fixed
import glob

import tensorflow as tf


class DataLoader(object):
    def __init__(self, pattern, batch_size, scale_size, data_format="NHWC", is_grayscale=False):
        self.paths = sorted(glob.glob(pattern))
        assert self.paths, "no images"
        self.batch_size = batch_size
        self.scale_size = scale_size
        self.data_format = data_format
        self.is_grayscale = is_grayscale

    def __call__(self):
        filename_queue = tf.train.string_input_producer(self.paths, shuffle=False)
        reader = tf.WholeFileReader()
        filename, data = reader.read(filename_queue)
        image = tf.image.decode_png(data, channels=3)
        if self.is_grayscale:
            image = tf.image.rgb_to_grayscale(image)
        image.set_shape([4, 6, 3])
        queue = tf.train.batch([image], batch_size=self.batch_size, num_threads=1, capacity=10)
        queue = tf.image.crop_to_bounding_box(queue, 0, 1, 4, 4)
        queue = tf.image.resize_nearest_neighbor(queue, [self.scale_size, self.scale_size])
        if self.data_format == "NCHW":
            queue = tf.transpose(queue, [0, 3, 1, 2])
        return tf.to_float(queue)
