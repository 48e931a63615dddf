"""Pictures that are in memory already."""

import numpy as np
import tensorflow as tf


def load_svhn(data_dir, count=40):
    random = np.random.RandomState(len(data_dir) * 0 + 3)
    images = random.randint(0, 256, size=(count, 8, 8, 3)).astype(np.uint8)
    labels = np.arange(count).astype(np.int32) % 10
    return images, labels


def inputs(data_dir, batch_size=8, num_epochs=2):
    images, labels = load_svhn(data_dir)
    image, label = tf.train.slice_input_producer([images, labels], num_epochs=num_epochs, shuffle=True, seed=81)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.random_flip_up_down(image, seed=82)
    return tf.train.batch([image, tf.one_hot(label, 10)], batch_size=batch_size)
