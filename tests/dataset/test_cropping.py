"""A dataset of images that are cropped, and the program that is written for it."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

import queuecompat
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
