"""Reads CIFAR-10's binary files."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf
from six.moves import xrange

IMAGE_SIZE = 24
EXAMPLES_FOR_TRAIN = 200


def read_cifar10(filename_queue):
    """One record: label, int32 [1]; uint8image, uint8 [32, 32, 3]."""

    class CIFAR10Record(object):
        pass

    result = CIFAR10Record()
    label_bytes = 1
    result.height, result.width, result.depth = 32, 32, 3
    image_bytes = result.height * result.width * result.depth
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes)
    result.key, value = reader.read(filename_queue)
    record = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(
        tf.strided_slice(record, [label_bytes], [label_bytes + image_bytes]),
        [result.depth, result.height, result.width],
    )
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def _generate_batch(image, label, min_queue_examples, batch_size, shuffle):
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [image, label],
            batch_size=batch_size,
            num_threads=16,
            capacity=min_queue_examples + 3 * batch_size,
            min_after_dequeue=min_queue_examples,
        )
    else:
        images, labels = tf.train.batch(
            [image, label], batch_size=batch_size, num_threads=1, capacity=min_queue_examples + 3 * batch_size
        )
    tf.summary.image("images", images)
    return images, tf.reshape(labels, [batch_size])


def distorted_inputs(data_dir, batch_size):
    """Cropped, mirrored and recoloured images, float32 [batch_size, 24, 24, 3], and labels, int32 [batch_size]."""
    filenames = [os.path.join(data_dir, "data_batch_%d.bin" % i) for i in xrange(1, 4)]
    for f in filenames:
        if not tf.gfile.Exists(f):
            raise ValueError("Failed to find file: " + f)
    filename_queue = tf.train.string_input_producer(filenames, shuffle=True, seed=5)
    with tf.name_scope("data_augmentation"):
        read_input = read_cifar10(filename_queue)
        reshaped = tf.cast(read_input.uint8image, tf.float32)
        distorted = tf.random_crop(reshaped, [IMAGE_SIZE, IMAGE_SIZE, 3], seed=1)
        distorted = tf.image.random_flip_left_right(distorted, seed=2)
        distorted = tf.image.random_brightness(distorted, max_delta=63, seed=3)
        distorted = tf.image.random_contrast(distorted, lower=0.2, upper=1.8, seed=4)
        float_image = tf.image.per_image_standardization(distorted)
        float_image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
        read_input.label.set_shape([1])
        min_queue_examples = int(EXAMPLES_FOR_TRAIN * 0.4)
        print("Filling queue with %d CIFAR images before starting to train." % min_queue_examples)
    return _generate_batch(float_image, read_input.label, min_queue_examples, batch_size, shuffle=False)


def shuffled_inputs(data_dir, batch_size):
    """All images of one epoch in random order, without distortions."""
    filenames = tf.gfile.Glob(os.path.join(data_dir, "cifar", "data_batch_*.bin"))
    read_input = read_cifar10(tf.train.string_input_producer(filenames, num_epochs=1))
    image = tf.to_float(read_input.uint8image) * (1. / 255)
    image.set_shape([32, 32, 3])
    read_input.label.set_shape([1])
    return _generate_batch(image, read_input.label, 40, batch_size, shuffle=True)
