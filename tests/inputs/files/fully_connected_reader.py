"""MNIST's records, as the tutorial reads them."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os.path

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import mnist

TRAIN_FILE = "train.tfrecords"


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        features={
            "image_raw": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.decode_raw(features["image_raw"], tf.uint8)
    image.set_shape([mnist.IMAGE_PIXELS])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    return image, tf.cast(features["label"], tf.int32)


def inputs(data_dir, batch_size=50, num_epochs=1):
    if not num_epochs:
        num_epochs = None
    filename = os.path.join(data_dir, "digits", TRAIN_FILE)
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer([filename], num_epochs=num_epochs)
        image, label = read_and_decode(filename_queue)
        # The order of examples is random, and no example is left out until the epoch is over.
        images, sparse_labels = tf.train.shuffle_batch(
            [image, label],
            batch_size=batch_size,
            num_threads=2,
            capacity=100 + 3 * batch_size,
            min_after_dequeue=100,
            allow_smaller_final_batch=True,
        )
        return images, sparse_labels
