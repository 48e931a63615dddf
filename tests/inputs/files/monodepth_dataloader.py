"""Left and right pictures of a scene, mirrored and recoloured in the same way."""

from __future__ import absolute_import, division, print_function

import os

import tensorflow as tf


def string_length_tf(t):
    return tf.py_func(len, [t], [tf.int64])


class MonodepthDataloader(object):
    """monodepth dataloader"""

    def __init__(self, data_path, filenames_file, height, width, batch_size, mode):
        self.data_path = data_path
        self.height = height
        self.width = width
        self.mode = mode
        self.left_image_batch = None
        self.right_image_batch = None
        input_queue = tf.train.string_input_producer([filenames_file], shuffle=False)
        line_reader = tf.TextLineReader()
        _, line = line_reader.read(input_queue)
        split_line = tf.string_split([line]).values
        left_image_path = tf.string_join([self.data_path, split_line[0]])
        right_image_path = tf.string_join([self.data_path, split_line[1]])
        left_image_o = self.read_image(left_image_path)
        right_image_o = self.read_image(right_image_path)
        if mode == "train":
            # randomly flip images
            do_flip = tf.random_uniform([], 0, 1, seed=61)
            left_image = tf.cond(do_flip > 0.5, lambda: tf.image.flip_left_right(right_image_o), lambda: left_image_o)
            right_image = tf.cond(do_flip > 0.5, lambda: tf.image.flip_left_right(left_image_o), lambda: right_image_o)
            # randomly augment images
            do_augment = tf.random_uniform([], 0, 1, seed=62)
            left_image, right_image = tf.cond(
                do_augment > 0.5,
                lambda: self.augment_image_pair(left_image, right_image),
                lambda: (left_image, right_image),
            )
            left_image.set_shape([None, None, 3])
            right_image.set_shape([None, None, 3])
            left_image.set_shape([height, width, 3])
            right_image.set_shape([height, width, 3])
            self.left_image_batch, self.right_image_batch = tf.train.batch(
                [left_image, right_image], batch_size, num_threads=1, capacity=32
            )

    def augment_image_pair(self, left_image, right_image):
        # randomly shift gamma
        random_gamma = tf.random_uniform([], 0.8, 1.2, seed=63)
        left_image_aug = left_image**random_gamma
        right_image_aug = right_image**random_gamma
        # randomly shift color
        random_colors = tf.random_uniform([3], 0.8, 1.2, seed=64)
        white = tf.ones([tf.shape(left_image)[0], tf.shape(left_image)[1]])
        color_image = tf.stack([white * random_colors[i] for i in range(3)], axis=2)
        left_image_aug *= color_image
        right_image_aug *= color_image
        return tf.clip_by_value(left_image_aug, 0, 1), tf.clip_by_value(right_image_aug, 0, 1)

    def read_image(self, image_path):
        path_length = string_length_tf(image_path)[0]
        file_extension = tf.substr(image_path, path_length - 3, 3)
        file_cond = tf.equal(file_extension, "jpg")
        image = tf.cond(
            file_cond,
            lambda: tf.image.decode_jpeg(tf.read_file(image_path)),
            lambda: tf.image.decode_png(tf.read_file(image_path)),
        )
        image = tf.image.convert_image_dtype(image, tf.float32)
        return tf.image.resize_images(image, [self.height, self.width], tf.image.ResizeMethod.AREA)


def pairs(data_dir):
    folder = os.path.join(data_dir, "stereo") + "/"
    loader = MonodepthDataloader(folder, folder + "train.txt", 8, 16, 4, "train")
    return loader.left_image_batch, loader.right_image_batch
