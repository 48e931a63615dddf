"""Prints what every side delivers in one epoch, for test_bench.py.

It is a process of its own, because the sides turn off TensorFlow 2 behaviour permanently.
``python -m tests.bench.delivery DATA_DIR`` prints JSON: workload -> side -> what the side delivered.
"""

from __future__ import annotations

import collections
import hashlib
import json
import pathlib
import sys
from typing import Any

import numpy as np

from .catalogue import SLICES, WORKLOADS
from .data import IMAGE_SIZE
from .records import CROP
from .sides import Side, prepare, running, sides_for
from .workload import Workload

__all__ = ["delivered", "of_slices", "record_crops"]

BATCHES = 2  # an epoch; an exact multiple, because the tail is dropped


def delivered(data_dir: pathlib.Path) -> dict[str, dict[str, Any]]:
    """Run every side of every workload for one epoch of ``BATCHES`` batches."""
    sides = sides_for([2])
    prepare(sides)
    result: dict[str, dict[str, Any]] = {}
    for name, workload in WORKLOADS.items():
        loaded = workload.load(data_dir, BATCHES * workload.batch_size)
        for side in sides:
            result.setdefault(name, {})[side.kind] = _summary(_epoch(side, workload, loaded))
    return result


def of_slices(data_dir: pathlib.Path) -> dict[str, dict[str, Any]]:
    """Run each pipeline of ``slices`` for one epoch: of each output its largest shape, its type and its sum."""
    result: dict[str, dict[str, Any]] = {}
    for name, workload in SLICES.items():
        loaded = workload.load(data_dir, workload.quick_count)
        for side in sides_for([2]):
            if side.kind != "best":
                outputs = zip(*_epoch(side, workload, loaded))
                result.setdefault(name, {})[side.kind] = [_of_output(batches) for batches in outputs]
    return result


def _epoch(side: Side, workload: Workload, loaded: Any) -> list[Any]:
    from tensorflow.errors import OutOfRangeError

    batches = []
    with running(side, workload, loaded, num_epochs=1, fetch=lambda tf, tensors: tensors) as take:
        try:
            while True:
                batches.append(take())
        except OutOfRangeError:
            return batches


def _of_output(batches: Any) -> Any:
    """What padding adds is zero: it changes no sum."""
    shape = np.max([batch.shape for batch in batches], axis=0).tolist()
    return [len(batches), shape, str(batches[0].dtype), float(sum(batch.astype(np.float64).sum() for batch in batches))]


def _summary(batches: list[Any]) -> dict[str, Any]:
    return {
        "batches": [[[list(a.shape), str(a.dtype)] for a in batch] for batch in batches],
        "examples": sorted(
            [_digest(image), int(label)] for images, labels in batches for image, label in zip(images, labels)
        ),
        "labels": sorted(collections.Counter(int(label) for _, labels in batches for label in labels).items()),
    }


def _digest(image: np.ndarray) -> str:
    # Rounded: a side may multiply and add in one instruction or in two.
    return hashlib.sha1(np.round(image.astype(np.float64), 4).tobytes()).hexdigest()


def record_crops(data_dir: pathlib.Path) -> list[list[Any]]:
    """Return digest and label of every crop, mirrored or not, that ``records`` may deliver."""
    import tensorflow as tf

    workload = WORKLOADS["records"]
    offsets = range(IMAGE_SIZE - CROP + 1)
    crops = []
    for file in workload.load(data_dir, BATCHES * workload.batch_size):
        for record in tf.compat.v1.io.tf_record_iterator(file):
            feature = tf.train.Example.FromString(record).features.feature
            image = np.frombuffer(feature["image_raw"].bytes_list.value[0], np.uint8)
            image = image.reshape(IMAGE_SIZE, IMAGE_SIZE, 3)
            label = feature["label"].int64_list.value[0]
            for top in offsets:
                for left in offsets:
                    crop = image[top : top + CROP, left : left + CROP]
                    crops += [[_digest(crop), label], [_digest(crop[:, ::-1]), label]]
    return crops


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    output = {
        "delivered": delivered(directory),
        "record_crops": record_crops(directory),
        "slices": of_slices(directory),
    }
    json.dump(output, sys.stdout)
