# call: get_batch(*get_files('faces'), image_w=5, image_h=3, batch_size=2, capacity=8)
# order: fixed
import os

import numpy as np
import tensorflow as tf


def get_files(folder):
    cats, dogs = [], []
    for person in sorted(os.listdir(folder)):
        for name in sorted(os.listdir(os.path.join(folder, person))):
            (cats if person == "anna" else dogs).append(os.path.join(folder, person, name))
    images = np.hstack((cats, dogs))
    labels = np.hstack((np.zeros(len(cats)), np.ones(len(dogs))))
    both = np.array([images, labels]).transpose()
    return list(both[:, 0]), [int(float(one)) for one in both[:, 1]]


def get_batch(image, label, image_w, image_h, batch_size, capacity):
    image = tf.cast(image, tf.string)
    label = tf.cast(label, tf.int32)
    input_queue = tf.train.slice_input_producer([image, label], shuffle=False)
    label = input_queue[1]
    image_contents = tf.read_file(input_queue[0])
    image = tf.image.decode_png(image_contents, channels=3)
    image = tf.image.resize_image_with_crop_or_pad(image, image_h, image_w)
    image_batch, label_batch = tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=capacity)
    label_batch = tf.reshape(label_batch, [batch_size])
    image_batch = tf.cast(image_batch, tf.float32)
    return image_batch, label_batch
