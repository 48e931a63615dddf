"""Inception's way with JPEG records: parse, cut out a random box, distort, batch_join."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf

SIZE = 20


def parse_example_proto(serialized):
    feature_map = {
        "image/encoded": tf.FixedLenFeature([], dtype=tf.string, default_value=""),
        "image/class/label": tf.FixedLenFeature([1], dtype=tf.int64, default_value=-1),
    }
    sparse_float32 = tf.VarLenFeature(dtype=tf.float32)
    feature_map.update(
        {
            k: sparse_float32
            for k in [
                "image/object/bbox/xmin",
                "image/object/bbox/ymin",
                "image/object/bbox/xmax",
                "image/object/bbox/ymax",
            ]
        }
    )
    features = tf.parse_single_example(serialized, feature_map)
    label = tf.cast(features["image/class/label"], dtype=tf.int32)
    box = tf.concat(
        [
            tf.expand_dims(features["image/object/bbox/%s" % side].values, 0)
            for side in ("ymin", "xmin", "ymax", "xmax")
        ],
        0,
    )
    box = tf.transpose(tf.expand_dims(box, 0), [0, 2, 1])
    return features["image/encoded"], label, box


def distort_image(image, bbox, scope=None):
    with tf.name_scope(scope, "distort_image", [image]):
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.shape(image),
            bounding_boxes=bbox,
            min_object_covered=0.1,
            aspect_ratio_range=[0.75, 1.33],
            area_range=[0.3, 1.0],
            max_attempts=100,
            use_image_if_no_bounding_boxes=True,
            seed=7,
        )
        distorted = tf.slice(image, begin, size)
        distorted = tf.image.resize_images(distorted, [SIZE, SIZE], method=tf.image.ResizeMethod.BILINEAR)
        distorted.set_shape([SIZE, SIZE, 3])
        distorted = tf.image.random_flip_left_right(distorted, seed=8)
        distorted = tf.image.random_saturation(distorted, lower=0.5, upper=1.5, seed=9)
        return tf.clip_by_value(distorted, 0.0, 1.0)


def batch_inputs(data_dir, batch_size, num_preprocess_threads=1):
    data_files = sorted(tf.gfile.Glob(os.path.join(data_dir, "flowers", "flowers_train_*.tfrecord")))
    filename_queue = tf.train.string_input_producer(data_files, shuffle=False, capacity=1)
    reader = tf.TFRecordReader()
    _, example_serialized = reader.read(filename_queue)
    images_and_labels = []
    for _ in range(num_preprocess_threads):
        buffer_, label, bbox = parse_example_proto(example_serialized)
        with tf.name_scope(values=[buffer_], name="decode_jpeg"):
            image = tf.image.convert_image_dtype(tf.image.decode_jpeg(buffer_, channels=3), dtype=tf.float32)
        image = distort_image(image, bbox)
        images_and_labels.append([tf.multiply(tf.subtract(image, 0.5), 2.0), label])
    images, label_index_batch = tf.train.batch_join(
        images_and_labels, batch_size=batch_size, capacity=2 * num_preprocess_threads * batch_size
    )
    images = tf.reshape(tf.cast(images, tf.float32), shape=[batch_size, SIZE, SIZE, 3])
    tf.summary.image("images", images)
    return images, tf.reshape(label_index_batch, [batch_size])
