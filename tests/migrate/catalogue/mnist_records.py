# call: inputs(train=True, batch_size=2, num_epochs=1)
# order: any
import os

import tensorflow as tf

TRAIN_FILE = "train-00000-of-00002"
VALIDATION_FILE = "train-00001-of-00002"
PIXELS = 72


def decode(serialized_example):
    features = tf.parse_single_example(
        serialized_example,
        features={"image/raw": tf.FixedLenFeature([], tf.string), "image/class/label": tf.FixedLenFeature([], tf.int64)},
    )
    image = tf.decode_raw(features["image/raw"], tf.uint8)
    image.set_shape([PIXELS])
    return image, tf.cast(features["image/class/label"], tf.int32)


def normalize(image, label):
    return tf.cast(image, tf.float32) * (1.0 / 255) - 0.5, label


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    return normalize(*decode(serialized_example))


def inputs(train, batch_size, num_epochs):
    if not num_epochs:
        num_epochs = None
    filename = os.path.join(".", TRAIN_FILE if train else VALIDATION_FILE)
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer([filename], num_epochs=num_epochs)
        image, label = read_and_decode(filename_queue)
        images, sparse_labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=2, capacity=20, min_after_dequeue=4
        )
        return images, sparse_labels
