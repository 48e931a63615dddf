"""Whole pipelines of images that are cropped: their elements, what is said of them, and their errors."""

from __future__ import annotations

import pathlib
from typing import Any, List

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import _passes as passes
from queuecompat import train
from queuecompat._passes.crop_early import crop_early
from tests.cropping.specimens import FILES, cut_off
from tests.pipelines.running import drain

__all__ = ["batch", "files"]

KINDS = ["4:2:0", "4:4:4", "PNG", "progressive"]


@pytest.fixture
def files(tmp_path: pathlib.Path) -> List[str]:
    paths = [tmp_path / str(number) for number, _ in enumerate(KINDS)]
    for path, kind in zip(paths, KINDS):
        path.write_bytes(FILES[kind])
    return [str(path) for path in paths]


def batch(files: List[str]) -> Any:
    (name,) = train.slice_input_producer([files], num_epochs=2, shuffle=False)
    # The program's own words.
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    crop = tf.compat.v1.image.random_crop(image, [40, 48, 3], seed=3)
    flipped = tf.image.random_flip_left_right(crop, seed=4)
    return train.batch([flipped * 2.0], 4)


def test_the_batches_are_those_of_whole_images(files: List[str], monkeypatch: Any) -> None:
    results = []
    for order in (passes.ORDER, tuple(one for one in passes.ORDER if one is not crop_early)):
        monkeypatch.setattr(passes, "ORDER", order)
        with tf.Graph().as_default():
            images = batch(files)
            explained = str(queuecompat.explain())
            assert ("decodes only the window of a crop; crops before Cast, Mul" in explained) == (crop_early in order)
            assert "ReadFile (test_programs.py:" in explained or "/test_programs.py:" in explained
            results.append([step.tobytes() for step in drain(images)])
    assert len(results[0]) == 2 and results[0] == results[1]


def test_the_error_of_a_file_that_was_cut_off_is_that_of_the_programs_op(files: List[str]) -> None:
    pathlib.Path(files[1]).write_bytes(cut_off(FILES["4:2:0"]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        drain(batch(files))
    assert "test_programs.py:" in str(caught.value) and "DecodeJpeg" in str(caught.value)
