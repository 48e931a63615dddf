"""What TF 1.15.5 delivered from the recorded graphs, and how a dataset's elements are compared with it."""

from __future__ import annotations

import pathlib
from typing import Any, List, Sequence, Tuple

import numpy as np
import tensorflow as tf

from tests.meta_graphs.graphs import GRAPHS

__all__ = ["delivered", "elements_of", "fetches_of", "file_of", "in_any_order", "matches"]

FOLDER = pathlib.Path(__file__).with_name("recorded")
Elements = List[List[np.ndarray]]


def file_of(name: str) -> str:
    return str(FOLDER / f"{name}.meta")


def fetches_of(name: str) -> List[str]:
    with np.load(FOLDER / f"{name}.npz") as arrays:
        return [str(fetch) for fetch in arrays["fetches"]]


def delivered(name: str) -> Elements:
    """The elements that TF 1.15.5 delivered, each one array a fetch."""
    with np.load(FOLDER / f"{name}.npz") as arrays:
        count = len(arrays["fetches"])
        keys = sorted(key for key in arrays.files if key != "fetches")
        return [[arrays[key] for key in keys[begin : begin + count]] for begin in range(0, len(keys), count)]


def elements_of(name: str, dataset: tf.data.Dataset) -> Elements:
    """The elements of *dataset*, as many as were recorded of one without an end."""
    some = dataset if GRAPHS[name].steps == 1000 else dataset.take(GRAPHS[name].steps)
    return [list(element) for element in some.as_numpy_iterator()]


def matches(ours: Elements, theirs: Elements) -> bool:
    """Whether all elements are the same in every bit, in the same order."""
    return [[_bits(array) for array in one] for one in ours] == [[_bits(array) for array in one] for one in theirs]


def in_any_order(elements: Elements) -> List[Any]:
    """The examples of all batches, sorted."""
    examples = [example for one in elements for example in (zip(*one) if np.ndim(one[0]) else [one])]
    return sorted([_bits(part) for part in example] for example in examples)


def _bits(array: Any) -> Tuple[str, Sequence[int], bytes]:
    array = np.asarray(array)
    if array.dtype.kind in "OS":
        texts = [bytes(text).ljust(64, b"\0") for text in array.ravel().tolist()]
        return "text", array.shape, b"".join(texts)
    return str(array.dtype), array.shape, array.tobytes()
