"""CIFAR-style records: fixed-length binary files, distorted and batched, on the fast path.

The files have the layout of CIFAR-10's binary version: one byte of label, then 32x32 pixels, all red, all green, all
blue. Here they are cut from the two photographs that scikit-learn ships, a temple (0) and a flower (1).

The tutorials of TensorFlow 1 decoded, cropped and mirrored image by image, and batched last: ``one_by_one``. Where
every op also takes a batch, the order can be turned round: ``whole_batches`` shuffles and batches raw records, and the
rest runs once for 64 of them. queuecompat's ``random_crop`` cuts each image of a batch at a place of its own.
``--compare`` times both.
"""

import os
import sys
import tempfile
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_sample_images

import queuecompat

SIZE, CROP, CHANNELS, BATCH, EPOCHS = 32, 24, 3, 64, 8
PIXEL_BYTES = SIZE * SIZE * CHANNELS


def write_records(folder):
    """Two files of training records, and one that is held out: every fifth tile of both photographs."""
    tiles = []
    for label, photograph in enumerate(load_sample_images().images):
        for top in range(0, photograph.shape[0] - SIZE, SIZE // 2):
            for left in range(0, photograph.shape[1] - SIZE, SIZE // 2):
                tile = photograph[top : top + SIZE, left : left + SIZE].transpose(2, 0, 1)
                tiles.append(bytes([label]) + tile.tobytes())
    held_out = tiles[::5]
    training = [tile for number, tile in enumerate(tiles) if number % 5]
    parts = {"data_batch_1.bin": training[::2], "data_batch_2.bin": training[1::2], "test_batch.bin": held_out}
    for name, records in parts.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.writelines(records)
    return [os.path.join(folder, name) for name in parts]


def records_in(files, num_epochs):
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs)
    return tf.compat.v1.FixedLengthRecordReader(record_bytes=1 + PIXEL_BYTES).read(queue)[1]


def decoded(values):
    """Images, uint8 [n, 32, 32, 3], and labels, int32 [n], of n raw records."""
    records = tf.reshape(tf.io.decode_raw(values, tf.uint8), [-1, 1 + PIXEL_BYTES])
    depth_major = tf.reshape(records[:, 1:], [-1, CHANNELS, SIZE, SIZE])
    return tf.transpose(depth_major, [0, 2, 3, 1]), tf.cast(records[:, 0], tf.int32)


def scaled(images):
    """uint8 to float32 in -1..1."""
    return tf.cast(images, tf.float32) / 127.5 - 1


def distorted(images):
    """A random window of each image, mirrored or not: float32 [n, 24, 24, 3]."""
    images = queuecompat.image.random_crop(images, [CROP, CROP, CHANNELS])
    return scaled(tf.image.random_flip_left_right(images))


def one_by_one(files):
    images, labels = decoded(tf.expand_dims(records_in(files, EPOCHS), 0))
    return tf.train.shuffle_batch([distorted(images)[0], labels[0]], BATCH, 1000, min_after_dequeue=400, num_threads=2)


def whole_batches(files):
    values = tf.train.shuffle_batch([records_in(files, EPOCHS)], BATCH, 1000, min_after_dequeue=400)
    images, labels = decoded(values)
    return distorted(images), labels


def held_out(files):
    """Every held-out tile once, its centre."""
    values = tf.train.batch([records_in(files, 1)], BATCH, allow_smaller_final_batch=True)
    images, labels = decoded(values)
    return scaled(tf.image.resize_with_crop_or_pad(images, CROP, CROP)), labels


def seconds(dataset):
    """What a pass over *dataset* takes, after its first batch has come."""
    batches = iter(dataset)
    next(batches)
    start = time.perf_counter()
    for _ in batches:
        pass
    return time.perf_counter() - start


def main():
    *training, testing = write_records(tempfile.mkdtemp())
    dataset = queuecompat.as_dataset(whole_batches, training)
    print(queuecompat.explain(dataset))
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(16, 5, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(2),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    model.fit(dataset, verbose=2)
    _, accuracy = model.evaluate(queuecompat.as_dataset(held_out, [testing]), verbose=0)
    print("held-out accuracy: %.1f %%" % (100 * accuracy))


def compare():
    *training, _ = write_records(tempfile.mkdtemp())
    pairs = [(queuecompat.as_dataset(whole_batches, training), queuecompat.as_dataset(one_by_one, training))] * 5
    print("whole batches take %.2f of the time" % np.median([seconds(whole) / seconds(one) for whole, one in pairs]))


if __name__ == "__main__":
    compare() if sys.argv[1:] == ["--compare"] else main()
