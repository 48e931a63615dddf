"""Faces from folders of pictures, one folder a person."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf
from tensorflow.python.framework import ops


def get_dataset(path):
    image_paths, labels = [], []
    for label, person in enumerate(sorted(os.listdir(path))):
        folder = os.path.join(path, person)
        for name in sorted(os.listdir(folder)):
            image_paths.append(os.path.join(folder, name))
            labels.append(label)
    return image_paths, labels


def read_images_from_disk(input_queue):
    label = input_queue[1]
    file_contents = tf.read_file(input_queue[0])
    example = tf.image.decode_png(file_contents, channels=3)
    return example, label


def read_and_augment_data(
    data_dir,
    image_size=20,
    batch_size=6,
    max_nrof_epochs=1,
    random_crop=True,
    random_flip=True,
    nrof_preprocess_threads=1,
    shuffle=True,
):
    image_list, label_list = get_dataset(os.path.join(data_dir, "faces"))
    images = ops.convert_to_tensor(image_list, dtype=tf.string)
    labels = ops.convert_to_tensor(label_list, dtype=tf.int32)
    input_queue = tf.train.slice_input_producer([images, labels], num_epochs=max_nrof_epochs, shuffle=shuffle, seed=31)
    images_and_labels = []
    for _ in range(nrof_preprocess_threads):
        image, label = read_images_from_disk(input_queue)
        if random_crop:
            image = tf.random_crop(image, [image_size, image_size, 3], seed=32)
        else:
            image = tf.image.resize_image_with_crop_or_pad(image, image_size, image_size)
        if random_flip:
            image = tf.image.random_flip_left_right(image, seed=33)
        image.set_shape((image_size, image_size, 3))
        image = tf.image.per_image_standardization(image)
        images_and_labels.append([image, label])
    image_batch, label_batch = tf.train.batch_join(
        images_and_labels,
        batch_size=batch_size,
        capacity=4 * nrof_preprocess_threads * 100,
        allow_smaller_final_batch=True,
    )
    return image_batch, label_batch
