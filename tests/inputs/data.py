"""What the input files read and ``tests/scripts/data.py`` does not write: pairs, scenes, videos, melodies, captions."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List

import numpy as np
import tensorflow.compat.v1 as tf

from tests.scripts import data

__all__ = ["write_all"]


def write_all(folder: str) -> None:
    data.write_all(folder)
    for number, write in enumerate((_pairs, _stereo, _videos, _melodies, _captions)):
        write(folder, np.random.RandomState(data.SEED + 100 + number))


def _pairs(folder: str, random: np.random.RandomState) -> None:
    """``pairs/<number>.png``: 20 x 40, two pictures side by side."""
    _write_pictures(os.path.join(folder, "pairs"), {f"{n}.png": _picture(random, 20, 40) for n in range(11)})


def _stereo(folder: str, random: np.random.RandomState) -> None:
    """``stereo/train.txt``: lines of a left and a right picture, JPEG or PNG."""
    names = [(f"left_{n}.{kind}", f"right_{n}.{kind}") for n, kind in enumerate(["jpg", "png"] * 5)]
    pictures = {name: _picture(random, 16, 32) for pair in names for name in pair}
    _write_pictures(os.path.join(folder, "stereo"), pictures)
    with open(os.path.join(folder, "stereo", "train.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{left} {right}\n" for left, right in names)


def _videos(folder: str, random: np.random.RandomState) -> None:
    """``videos/train<n>.tfrecord``: Examples of an id, 12 features and some of 9 labels."""
    for shard, size in enumerate((9, 14)):
        examples = [_video(f"v{shard}_{n}", random) for n in range(size)]
        _write_records(os.path.join(folder, "videos", f"train{shard}.tfrecord"), examples)


def _video(name: str, random: np.random.RandomState) -> tf.train.Example:
    features = {
        "video_id": _bytes(name.encode()),
        "labels": _numbers(random.choice(9, size=random.randint(1, 4), replace=False)),
        "mean_rgb": _floats(random.rand(12)),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def _melodies(folder: str, random: np.random.RandomState) -> None:
    """``melodies/train.tfrecord``: SequenceExamples of 1 to 9 steps of 4 'inputs' and a label."""
    examples = []
    for length in random.randint(1, 10, size=17):
        steps = {
            "inputs": [_floats(random.rand(4)) for _ in range(length)],
            "labels": [_numbers([n]) for n in random.randint(0, 9, size=length)],
        }
        examples.append(_sequence({}, steps))
    _write_records(os.path.join(folder, "melodies", "train.tfrecord"), examples)


def _captions(folder: str, random: np.random.RandomState) -> None:
    """``captions/train-<n>``: SequenceExamples of a PNG picture and a caption of 3 to 8 words."""
    pictures = {f"{n}.png": _picture(random, 14, 15) for n in range(12)}
    encoded = list(data._encoded(pictures).values())
    for shard in range(2):
        examples = [
            _sequence(
                {"image/data": _bytes(picture)},
                {"image/caption_ids": [_numbers([n]) for n in random.randint(0, 50, size=random.randint(3, 9))]},
            )
            for picture in encoded[shard::2]
        ]
        _write_records(os.path.join(folder, "captions", f"train-{shard}"), examples)


def _sequence(context: Dict[str, Any], steps: Dict[str, List[Any]]) -> tf.train.SequenceExample:
    lists = {name: tf.train.FeatureList(feature=features) for name, features in steps.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=lists)
    )


def _bytes(value: bytes) -> tf.train.Feature:
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _numbers(values: Any) -> tf.train.Feature:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(value) for value in values]))


def _floats(values: Any) -> tf.train.Feature:
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _picture(random: np.random.RandomState, height: int, width: int) -> np.ndarray:
    return random.randint(0, 256, size=(height, width, 3)).astype(np.uint8)


def _write_pictures(folder: str, pictures: Dict[str, np.ndarray]) -> None:
    os.makedirs(folder, exist_ok=True)
    for name, content in data._encoded(pictures).items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def _write_records(path: str, examples: List[Any]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write: Callable[..., None] = data._write_records
    write(path, iter(examples))
