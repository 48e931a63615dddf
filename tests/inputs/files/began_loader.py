"""Faces for a generative model, in shuffled batches of channels-first images."""

import os
from glob import glob

import tensorflow as tf


def get_loader(root, batch_size, scale_size, data_format, split=None, is_grayscale=False, seed=51):
    dataset_name = os.path.basename(root)
    paths = sorted(glob("{}/*/*.{}".format(root, "png")))
    filename_queue = tf.train.string_input_producer(list(paths), shuffle=False, num_epochs=1, seed=seed)
    reader = tf.WholeFileReader()
    filename, data = reader.read(filename_queue)
    image = tf.image.decode_png(data, channels=3)
    if is_grayscale:
        image = tf.image.rgb_to_grayscale(image)
    image.set_shape([24, 24, 3])
    min_after_dequeue = 15
    capacity = min_after_dequeue + 3 * batch_size
    queue = tf.train.shuffle_batch(
        [image],
        batch_size=batch_size,
        num_threads=4,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        name="synthetic_inputs",
    )
    if dataset_name in ["faces"]:
        queue = tf.image.crop_to_bounding_box(queue, 2, 2, 20, 20)
        queue = tf.image.resize_nearest_neighbor(queue, [scale_size, scale_size])
    else:
        queue = tf.image.resize_nearest_neighbor(queue, [scale_size, scale_size])
    if data_format == "NCHW":
        queue = tf.transpose(queue, [0, 3, 1, 2])
    elif data_format == "NHWC":
        pass
    else:
        raise Exception("[!] Unkown data_format: {}".format(data_format))
    return tf.to_float(queue)
