"""Records through slim's parallel reader, kept as dictionaries."""

import os

import tensorflow as tf
import tensorflow.contrib.slim as slim


def parallel_inputs(data_dir, batch_size=6):
    pattern = os.path.join(data_dir, "flowers", "flowers_validation.tfrecord")
    _, serialized = slim.parallel_reader.parallel_read(
        [pattern], tf.TFRecordReader, num_epochs=1, num_readers=1, shuffle=False, capacity=32, min_after_dequeue=8
    )
    features = tf.parse_single_example(
        serialized,
        {
            "image/encoded": tf.FixedLenFeature([], tf.string),
            "image/height": tf.FixedLenFeature([], tf.int64),
            "image/width": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.image.decode_jpeg(features["image/encoded"], channels=3)
    image = tf.image.central_crop(image, central_fraction=0.875)
    image = tf.expand_dims(tf.image.convert_image_dtype(image, tf.float32), 0)
    image = tf.squeeze(tf.image.resize_bilinear(image, [12, 12], align_corners=False), [0])
    mean, variance = tf.nn.moments(image, axes=[0, 1])
    size = tf.stack([features["image/height"], features["image/width"]])
    return tf.train.batch(
        {"image": image, "size": size, "mean": mean, "variance": variance},
        batch_size,
        num_threads=1,
        capacity=16,
    )
