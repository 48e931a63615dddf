"""Write scikit-learn's 1,797 handwritten digits as TFRecord shards.

The digits are real and come with scikit-learn, so nothing is downloaded. They
are shuffled once with a fixed seed; two runs write the same bytes.

Rule 1: the training shards have unequal sizes. Equal ones would hide a pipeline
        that takes turns between files and so tires of the small ones first.
Rule 2: the held-out shard is written last, and every shard gets its name only
        when it is whole: where the held-out shard is, all the others are.

Runs on TensorFlow 1.15 and 2.x; it needs no queuecompat.
"""

from __future__ import annotations

import argparse
import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

try:
    from sklearn.datasets import load_digits
except ImportError:
    sys.exit("make_records.py takes its images from scikit-learn: pip install scikit-learn")

SPLIT_SEED = 2017
TRAIN_SHARD_SIZES = (100, 250, 450, 700)  # examples; the other 297 are held out


def serialize(image: np.ndarray, label: int) -> bytes:
    """Return one ``tf.train.Example`` of a uint8 image ``[8, 8]``, grey 0..16."""
    feature = {
        "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    # A proto map has no order of its own; without this, bytes vary between runs.
    return example.SerializeToString(deterministic=True)


def write_shard(path: str, images: np.ndarray, labels: np.ndarray) -> None:
    """Write ``images[i], labels[i]`` for each i, in order, as one file."""
    unfinished = path + ".unfinished"
    with tf.python_io.TFRecordWriter(unfinished) as writer:
        for image, label in zip(images, labels):
            writer.write(serialize(image, int(label)))
    os.replace(unfinished, path)
    print(f"{len(labels):5} digits  {path}")


def write_records(data_dir: str) -> None:
    """Write four training shards and one held-out shard into *data_dir*."""
    digits = load_digits()
    order = np.random.RandomState(SPLIT_SEED).permutation(len(digits.target))
    images = digits.images[order].astype(np.uint8)
    labels = digits.target[order]

    os.makedirs(data_dir, exist_ok=True)
    start = 0
    count = len(TRAIN_SHARD_SIZES)
    for number, size in enumerate(TRAIN_SHARD_SIZES):
        name = f"train-{number:05}-of-{count:05}.tfrecords"
        shard = slice(start, start + size)
        write_shard(os.path.join(data_dir, name), images[shard], labels[shard])
        start += size
    test_path = os.path.join(data_dir, "test-00000-of-00001.tfrecords")
    write_shard(test_path, images[start:], labels[start:])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data_dir", required=True, help="where the shards go")
    write_records(parser.parse_args().data_dir)
