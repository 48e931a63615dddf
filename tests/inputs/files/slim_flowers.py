"""A data set as slim describes it, and batches from its provider."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf

slim = tf.contrib.slim

_FILE_PATTERN = "flowers_%s_*.tfrecord"
_ITEMS_TO_DESCRIPTIONS = {
    "image": "A color image of varying size.",
    "label": "A single integer between 0 and 2",
}


def get_split(split_name, dataset_dir, reader=None):
    if reader is None:
        reader = tf.TFRecordReader
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/class/label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    items_to_handlers = {
        "image": slim.tfexample_decoder.Image(),
        "label": slim.tfexample_decoder.Tensor("image/class/label"),
    }
    decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
    return slim.dataset.Dataset(
        data_sources=os.path.join(dataset_dir, _FILE_PATTERN % split_name),
        reader=reader,
        decoder=decoder,
        num_samples=63,
        items_to_descriptions=_ITEMS_TO_DESCRIPTIONS,
        num_classes=3,
        labels_to_names=None,
    )


def load_batch(data_dir, batch_size=8, height=16, width=16):
    dataset = get_split("train", os.path.join(data_dir, "flowers"))
    provider = slim.dataset_data_provider.DatasetDataProvider(
        dataset, num_readers=1, shuffle=False, common_queue_capacity=32, common_queue_min=8
    )
    image_raw, label = provider.get(["image", "label"])
    image = tf.image.convert_image_dtype(image_raw, dtype=tf.float32)
    image = tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(image, 0), [height, width], align_corners=False), [0])
    image = tf.image.random_flip_left_right(image, seed=13)
    image.set_shape([height, width, 3])
    images, labels = tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=2 * batch_size)
    labels = tf.one_hot(labels, dataset.num_classes)
    batch_queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2)
    return batch_queue.dequeue()
