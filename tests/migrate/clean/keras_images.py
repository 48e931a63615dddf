"""Images by tf.data into Keras, as it is written for TensorFlow 2."""

import random

import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
BATCH_SIZE = 32


def load(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [64, 64]) / 255.0, label


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_crop(image, [56, 56, 3])
    return tf.image.rot90(image, tf.random.uniform([], 0, 4, tf.int32)), label


def blurred(image):
    return (image * np.random.uniform(0.9, 1.1)).astype(np.float32)


def blur(image, label):
    return tf.numpy_function(lambda one: blurred(one), [image], tf.float32), label


def dataset(paths, labels, training):
    files = tf.data.Dataset.from_tensor_slices((paths, labels))
    if training:
        files = files.shuffle(len(paths), seed=random.randint(0, 9))
    images = files.map(load, num_parallel_calls=AUTOTUNE).cache()
    if training:
        images = images.map(augment, num_parallel_calls=AUTOTUNE).map(blur)
    return images.batch(BATCH_SIZE).prefetch(AUTOTUNE)


def names(train_file, test_file):
    return tf.data.Dataset.from_tensor_slices([train_file, test_file]).interleave(tf.data.TFRecordDataset)


model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
