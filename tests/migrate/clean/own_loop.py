"""A training loop of one's own, records and a queue, as it is written for TensorFlow 2."""

import random

import numpy as np
import pandas as pd
import tensorflow as tf
import tensorflow.compat.v2 as tf2

FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}


def parse(record):
    one = tf.io.parse_single_example(record, FEATURES)
    return tf.io.decode_raw(one["image"], tf.uint8), one["label"]


@tf.function
def step(model, optimizer, images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, model(images)))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def train(model, optimizer, pattern, capacity=1000, min_size=1):
    files = tf.data.Dataset.list_files(pattern)
    records = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE).cache()
    batches = records.shuffle(capacity).map(parse).batch(64).prefetch(1)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), "/tmp/model", max_to_keep=3)
    coordinator = tf.train.Coordinator()
    for images, labels in batches:
        step(model, optimizer, images, labels)
    manager.save()
    coordinator.request_stop()


queue = tf.queue.FIFOQueue(8, [tf.float32])
table = pd.DataFrame({"x": [1, 2]})
table["noisy"] = table["x"].map(lambda value: value + random.random())
order = list(map(lambda value: value * np.random.rand(), range(3)))
random.shuffle(order)
shapes = tf.data.Dataset.from_tensor_slices([1, 2, 3]).batch(2).element_spec
again = tf2.data.Dataset.range(3).repeat(2)
vocabulary = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
