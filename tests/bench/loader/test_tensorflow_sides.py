"""The sides of the JPEG tiles that run in TensorFlow, whose decoder outputs slightly different pixels."""

from __future__ import annotations

import itertools
import pathlib
from typing import Any

import numpy as np
import pytest

from queuecompat.loader.images.image_list import list_of
from queuecompat.loader.images.reading import read_image
from tests.queues.modes import eagerly as graph  # noqa: F401 - tf.data as its users have it

from ..data import make_jpegs
from .tile_sides import BATCH_SIZE, CROP, SIDES, WORKERS


@pytest.mark.parametrize("side", ["tf.data", "tf.data, cropped"])
def test_a_side_of_tensorflow_returns_crops_of_the_tiles_with_their_labels(tmp_path: pathlib.Path, side: str) -> None:
    paths, _ = make_jpegs(tmp_path, BATCH_SIZE + 16)
    files = list_of(zip(paths, range(len(paths))))
    images, labels = next(SIDES[side](files, WORKERS))
    assert (images.shape, images.dtype.name) == ((BATCH_SIZE, CROP, CROP, 3), "float32")
    assert (labels.shape, labels.dtype.name) == ((BATCH_SIZE,), "int64")
    assert len(set(labels.numpy().tolist())) == BATCH_SIZE
    found = [
        _place_of(image, read_image(files[int(label)]).astype(np.float32))
        for image, label in zip(images.numpy()[:16], labels.numpy())
    ]
    for axis, least in enumerate((4, 4, 2)):  # rows, columns, sides
        assert len({place[axis] for place in found}) >= least


def _place_of(crop: np.ndarray, tile: np.ndarray) -> Any:
    """Where in *tile* the *crop* lies: top, left, and whether it is mirrored. Decoders differ by a few of 255."""

    def difference(place: Any) -> float:
        top, left, is_mirrored = place
        part = tile[top : top + CROP, left : left + CROP]
        return float(np.abs((part[:, ::-1] if is_mirrored else part)[::9, ::7] - crop[::9, ::7]).mean())

    places = itertools.product(range(33), range(33), (False, True))
    best, place = min((difference(place), place) for place in places)
    assert best < 2, "no crop of this tile"
    return place
