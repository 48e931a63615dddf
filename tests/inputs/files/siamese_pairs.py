"""Pairs of faces, of one person or of two, drawn while the graph is built."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import image as contrib_image


def make_pairs(folder, count=18):
    random = np.random.RandomState(7)
    people = sorted(os.listdir(folder))
    files = {p: sorted(os.path.join(folder, p, n) for n in os.listdir(os.path.join(folder, p))) for p in people}
    pairs = []
    for number in range(count):
        first = people[random.randint(len(people))]
        second = first if number % 2 else people[random.randint(len(people))]
        pairs.append((random.choice(files[first]), random.choice(files[second]), int(first == second)))
    return [list(column) for column in zip(*pairs)]


def _face(path, angle):
    image = tf.image.decode_png(tf.read_file(path), channels=1)
    image = tf.to_float(tf.image.resize_images(image, [16, 16])) * (1. / 255)
    return contrib_image.rotate(image, angle)


def pairs(data_dir, batch_size=6):
    left, right, same = make_pairs(os.path.join(data_dir, "faces"))
    left, right, same = tf.train.slice_input_producer([left, right, same], shuffle=False, capacity=16)
    angle = tf.random_uniform([], -0.2, 0.2, seed=91)
    images = tf.stack([_face(left, angle), _face(right, -angle)])
    images, same = tf.train.batch([images, same], batch_size, capacity=4 * batch_size)
    left, right = tf.unstack(images, axis=1)
    return (left, right), tf.cast(same, tf.float32)
