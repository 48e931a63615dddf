"""CIFAR-10's binary version: where the batches come from. The pipeline itself is in cifar10_input."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf

import cifar10_input

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_integer("cifar_batch_size", 12, """Number of images in a batch.""")
tf.app.flags.DEFINE_boolean("cifar_use_fp16", False, """Whether images are half floats.""")


def distorted_inputs(data_dir):
    """Images and labels for training."""
    if not data_dir:
        raise ValueError("Please supply a data_dir")
    images, labels = cifar10_input.distorted_inputs(os.path.join(data_dir, "cifar"), FLAGS.cifar_batch_size)
    if FLAGS.cifar_use_fp16:
        images = tf.cast(images, tf.float16)
        labels = tf.cast(labels, tf.float16)
    return images, labels
