"""A dataset of images that are cropped, and the program that is written for it."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import tensorflow as tf

import queuecompat
from queuecompat import _passes as passes
from queuecompat import train
from queuecompat._passes.crop_early import crop_early
from tests.cropping.test_programs import batch, files

__all__ = ["files"]


def test_the_written_program_decodes_the_window_too(files: List[str]) -> None:
    dataset = queuecompat.as_dataset(lambda: batch(files))
    code = str(queuecompat.explain(dataset, code=True))
    assert "image = jpeg_window(" in code and "# The program's own words." in code
    names: Dict[str, Any] = {}
    exec(code, names)
    found = [images.numpy() for images in names["dataset"]()]
    assert [one.tobytes() for one in found] == [images.numpy().tobytes() for images in dataset]
    assert found[0].shape == (4, 40, 48, 3) and np.ptp(found[0]) > 1.0


def distorted(files: List[str]) -> Any:
    (name,) = train.slice_input_producer([files], num_epochs=2)
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    begin, size, _ = tf.compat.v1.image.sample_distorted_bounding_box(
        tf.shape(image), tf.zeros([1, 0, 4]), use_image_if_no_bounding_boxes=True
    )
    crop = tf.compat.v1.image.resize_images(tf.slice(image, begin, size), [20, 20])
    crop.set_shape([20, 20, 3])
    return train.batch([tf.image.random_flip_left_right(crop)], 4)


def test_random_windows_that_follow_from_the_record_stay_the_same(files: List[str], monkeypatch: Any) -> None:
    results = []
    for order in (passes.ORDER, tuple(one for one in passes.ORDER if one is not crop_early)):
        monkeypatch.setattr(passes, "ORDER", order)
        dataset = queuecompat.as_dataset(lambda: distorted(files), random="by_index", random_seed=3)
        assert ("the window of a crop" in str(queuecompat.explain(dataset))) == (crop_early in order)
        results.append(sorted(image.tobytes() for images in dataset for image in images.numpy()))
    assert len(results[0]) == 8 and results[0] == results[1]
