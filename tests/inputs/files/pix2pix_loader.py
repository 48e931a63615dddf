"""Pairs of pictures side by side in one file."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import glob
import math
import os

import tensorflow as tf

Examples = collections.namedtuple("Examples", "paths, inputs, targets, count, steps_per_epoch")
CROP_SIZE = 16
SCALE_SIZE = 18


def preprocess(image):
    with tf.name_scope("preprocess"):
        # [0, 1] => [-1, 1]
        return image * 2 - 1


def load_examples(data_dir, batch_size=3, seed=41):
    input_paths = glob.glob(os.path.join(data_dir, "pairs", "*.png"))
    if len(input_paths) == 0:
        raise Exception("input_dir contains no image files")

    def get_name(path):
        name, _ = os.path.splitext(os.path.basename(path))
        return name

    input_paths = sorted(input_paths, key=lambda path: int(get_name(path)))
    with tf.name_scope("load_images"):
        path_queue = tf.train.string_input_producer(input_paths, shuffle=True, seed=seed)
        reader = tf.WholeFileReader()
        paths, contents = reader.read(path_queue)
        raw_input = tf.image.decode_png(contents)
        raw_input = tf.image.convert_image_dtype(raw_input, dtype=tf.float32)
        assertion = tf.assert_equal(tf.shape(raw_input)[2], 3, message="image does not have 3 channels")
        with tf.control_dependencies([assertion]):
            raw_input = tf.identity(raw_input)
        raw_input.set_shape([None, None, 3])
        width = tf.shape(raw_input)[1]
        a_images = preprocess(raw_input[:, : width // 2, :])
        b_images = preprocess(raw_input[:, width // 2 :, :])

    def transform(image):
        r = tf.image.random_flip_left_right(image, seed=seed)
        r = tf.image.resize_images(r, [SCALE_SIZE, SCALE_SIZE], method=tf.image.ResizeMethod.AREA)
        offset = tf.cast(tf.floor(tf.random_uniform([2], 0, SCALE_SIZE - CROP_SIZE + 1, seed=seed)), dtype=tf.int32)
        return tf.image.crop_to_bounding_box(r, offset[0], offset[1], CROP_SIZE, CROP_SIZE)

    with tf.name_scope("input_images"):
        input_images = transform(a_images)
    with tf.name_scope("target_images"):
        target_images = transform(b_images)
    paths_batch, inputs_batch, targets_batch = tf.train.batch(
        [paths, input_images, target_images], batch_size=batch_size
    )
    steps_per_epoch = int(math.ceil(len(input_paths) / batch_size))
    return Examples(
        paths=paths_batch,
        inputs=inputs_batch,
        targets=targets_batch,
        count=tf.constant(len(input_paths)),
        steps_per_epoch=tf.constant(steps_per_epoch),
    )
