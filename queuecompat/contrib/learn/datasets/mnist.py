"""``read_data_sets``: the MNIST files as NumPy arrays, batch by batch. Nothing is downloaded.

Source: TF 1.15.5 ``contrib/learn/python/learn/datasets/mnist.py``.
"""

from __future__ import annotations

import gzip
import os
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import tensorflow.compat.v1 as _tf

__all__ = [
    "DataSet",
    "Datasets",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "load_mnist",
    "read_data_sets",
]

_IMAGES_MAGIC = 2051  # the IDX format's magic number for unsigned bytes in three dimensions
_LABELS_MAGIC = 2049  # the same for one dimension
_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)


class DataSet:
    """Images and labels, returned in batches; reshuffled every epoch.

    Args:
      images: uint8 array ``[examples, rows, columns, 1]``.
      labels: array ``[examples]``, or ``[examples, classes]`` if they are one-hot.
      fake_data: return artificial rows of 784 ones; *images* and *labels* are ignored.
      one_hot: whether the labels of artificial rows are one-hot; ignored otherwise.
      dtype: ``tf.float32`` scales to [0, 1]; ``tf.uint8`` leaves the bytes.
      reshape: to ``[examples, rows * columns]``.
      seed: random seed of the order. It seeds NumPy's global generator, as in TF1.
    Raises:
      TypeError: *dtype* is neither of the two.
      ValueError: different numbers of images and labels; *reshape*, and the images do not have one channel.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = _tf.float32,
        reshape: bool = True,
        seed: Optional[int] = None,
    ) -> None:
        graph_seed, op_seed = _tf.get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        dtype = _tf.as_dtype(dtype).base_dtype
        if dtype not in (_tf.uint8, _tf.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self._is_fake, self.one_hot = fake_data, one_hot
        if not fake_data:
            images = _pixels(images, labels, dtype, reshape)
        self._images, self._labels = images, labels
        self._num_examples = 10000 if fake_data else len(images)
        self._epochs_completed = 0
        self._next = 0

    @property
    def images(self) -> Any:
        return self._images

    @property
    def labels(self) -> Any:
        return self._labels

    @property
    def num_examples(self) -> int:
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Tuple[Any, Any]:
        """The next *batch_size* images and labels; a batch may reach into the next epoch."""
        if fake_data:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        if shuffle and self._epochs_completed == 0 and self._next == 0:
            self._shuffle()
        first, last = self._next, self._next + batch_size
        if last <= self._num_examples:
            self._next = last
            return self._images[first:last], self._labels[first:last]
        rest = self._images[first:], self._labels[first:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        self._next = last - self._num_examples
        begun = self._images[: self._next], self._labels[: self._next]
        return np.concatenate([rest[0], begun[0]]), np.concatenate([rest[1], begun[1]])

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


class Datasets(NamedTuple):
    """The three parts of the data."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = _tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: Optional[int] = None,
    source_url: Optional[str] = None,
) -> Datasets:
    """Reads the four gzipped MNIST files in *train_dir*.

    Args:
      train_dir: the folder of the four files.
      fake_data, dtype, reshape, seed: as ``DataSet``.
      one_hot: whether a label is a row of ten numbers instead of one number.
      validation_size: how many training examples, the first ones, are used for validation.
      source_url: has no effect.
    Returns:
      A ``Datasets`` of three ``DataSet``: train, validation and test.
    Raises:
      FileNotFoundError: files are missing; the message names them.
      ValueError: a file has a wrong format; *validation_size* is larger than the number of training examples.
    Differs from TF1: Nothing is downloaded: the four files must be in *train_dir*, and the error names all that are
      missing.
    Source: TF 1.15.5 ``contrib/learn/python/learn/datasets/mnist.py``.
    """
    if fake_data:
        return Datasets(*[DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)])
    paths = _local(train_dir)
    train_images, train_labels = _extracted(paths[0], paths[1], one_hot)
    test_images, test_labels = _extracted(paths[2], paths[3], one_hot)
    if not 0 <= validation_size <= len(train_images):
        raise ValueError(f"Validation size should be between 0 and {len(train_images)}. Received: {validation_size}.")
    parts = [
        (train_images[validation_size:], train_labels[validation_size:]),
        (train_images[:validation_size], train_labels[:validation_size]),
        (test_images, test_labels),
    ]
    return Datasets(*[DataSet(*part, dtype=dtype, reshape=reshape, seed=seed) for part in parts])


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """``read_data_sets`` with the defaults of all other arguments."""
    return read_data_sets(train_dir)


def extract_images(f: Any) -> np.ndarray:
    """The images of *f*, a gzipped IDX file opened in binary mode, as uint8 ``[examples, rows, columns, 1]``.

    Raises:
      ValueError: it does not begin with the magic number for images.
    """
    print("Extracting", f.name)
    with gzip.GzipFile(fileobj=f) as stream:
        _require_magic(stream, _IMAGES_MAGIC, "image", f.name)
        count, rows, columns = (_number(stream) for _ in range(3))
        pixels = np.frombuffer(stream.read(count * rows * columns), np.uint8)
    return pixels.reshape(count, rows, columns, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """The labels of *f*, a gzipped IDX file opened in binary mode: uint8 ``[examples]``, or one-hot rows.

    Raises:
      ValueError: it does not begin with the magic number for labels.
    """
    print("Extracting", f.name)
    with gzip.GzipFile(fileobj=f) as stream:
        _require_magic(stream, _LABELS_MAGIC, "label", f.name)
        labels = np.frombuffer(stream.read(_number(stream)), np.uint8)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Rows of float64, with a 1 at the index of the label."""
    return np.eye(num_classes)[np.ravel(labels_dense)]


def _pixels(images: np.ndarray, labels: np.ndarray, dtype: Any, reshape: bool) -> np.ndarray:
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images, but {len(labels)} labels")
    if reshape:
        if images.shape[3] != 1:
            raise ValueError(f"reshape=True needs images with one channel, but these have {images.shape[3]}")
        images = images.reshape(len(images), images.shape[1] * images.shape[2])
    if dtype == _tf.float32:
        images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
    return images


def _local(folder: str) -> List[str]:
    paths = [os.path.join(folder, name) for name in _FILES]
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise FileNotFoundError(
            f"MNIST is not in {folder!r}: {', '.join(map(os.path.basename, missing))}\n"
            "  why:      queuecompat downloads nothing; TF1's read_data_sets did\n"
            f"  instead:  download these files (a copy is at storage.googleapis.com/cvdf-datasets/mnist) "
            f"into {folder!r}"
        )
    return paths


def _extracted(images: str, labels: str, one_hot: bool) -> Tuple[np.ndarray, np.ndarray]:
    with open(images, "rb") as image_file, open(labels, "rb") as label_file:
        return extract_images(image_file), extract_labels(label_file, one_hot=one_hot)


def _require_magic(stream: Any, expected: int, kind: str, name: str) -> None:
    found = _number(stream)
    if found != expected:
        raise ValueError(f"Invalid magic number {found} in MNIST {kind} file: {name}")


def _number(stream: Any) -> int:
    return int.from_bytes(stream.read(4), "big")
