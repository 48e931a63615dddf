# call: input_pipeline('.', 'train', 3)
# order: fixed
import os

import tensorflow as tf

_FILE_PATTERN = "%s-*-of-*"


def parse_example_proto(example_serialized):
    feature_map = {
        "image/encoded": tf.FixedLenFeature([], dtype=tf.string, default_value=""),
        "image/class/label": tf.FixedLenFeature([1], dtype=tf.int64, default_value=-1),
        "image/filename": tf.FixedLenFeature([], dtype=tf.string, default_value=""),
    }
    features = tf.parse_single_example(example_serialized, feature_map)
    label = tf.cast(features["image/class/label"], dtype=tf.int32)
    return features["image/encoded"], label, features["image/filename"]


def image_preprocessing(image_buffer, height, width):
    with tf.name_scope("decode"):
        image = tf.image.decode_png(image_buffer, channels=3)
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)
    with tf.name_scope("eval_image"):
        image = tf.image.central_crop(image, central_fraction=0.5)
        image = tf.image.resize_nearest_neighbor(tf.expand_dims(image, 0), [height, width])
        image = tf.squeeze(image, [0])
    image = tf.subtract(image, 0.5)
    return tf.multiply(image, 2.0)


def input_pipeline(data_dir, subset, batch_size):
    data_files = tf.gfile.Glob(os.path.join(data_dir, _FILE_PATTERN % subset))
    if not data_files:
        print("No files found")
        exit(-1)
    filename_queue = tf.train.string_input_producer(sorted(data_files), shuffle=False, capacity=1)
    _, example_serialized = tf.TFRecordReader().read(filename_queue)
    image_buffer, label_index, filename = parse_example_proto(example_serialized)
    image = image_preprocessing(image_buffer, 2, 2)
    images, labels, names = tf.train.batch([image, label_index, filename], batch_size=batch_size, capacity=6)
    tf.summary.image("images", images)
    return images, tf.reshape(labels, [batch_size]), names
