"""``tensorflow.examples.tutorials.mnist.input_data`` on files that are there already."""

from __future__ import annotations

import gzip
import pathlib
import struct

import numpy as np
import pytest
import tensorflow as tf
from queuecompat.v1.examples.tutorials.mnist import input_data

ROWS, COLUMNS = 3, 2


def write(folder: pathlib.Path, prefix: str, labels: np.ndarray) -> None:
    """An IDX pair whose image *i* consists of the number of its label alone."""
    images = np.repeat(labels.astype(np.uint8), ROWS * COLUMNS)
    with gzip.open(folder / f"{prefix}-images-idx3-ubyte.gz", "wb") as f:
        f.write(struct.pack(">4I", 2051, len(labels), ROWS, COLUMNS) + images.tobytes())
    with gzip.open(folder / f"{prefix}-labels-idx1-ubyte.gz", "wb") as f:
        f.write(struct.pack(">2I", 2049, len(labels)) + labels.astype(np.uint8).tobytes())


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    write(tmp_path, "train", np.arange(10))
    write(tmp_path, "t10k", np.arange(4))
    return str(tmp_path)


def test_the_parts_have_the_sizes_that_were_asked_for(folder: str) -> None:
    data = input_data.read_data_sets(folder, validation_size=3)
    assert (data.train.num_examples, data.validation.num_examples, data.test.num_examples) == (7, 3, 4)
    assert data.train.images.shape == (7, ROWS * COLUMNS)
    assert data.train.images.dtype == np.float32
    np.testing.assert_allclose(data.train.images[:, 0], np.arange(3, 10) / 255.0, rtol=1e-6)


def test_bytes_and_pictures_stay_as_they_are_on_request(folder: str) -> None:
    data = input_data.read_data_sets(folder, validation_size=0, dtype=tf.uint8, reshape=False, one_hot=True)
    assert data.train.images.shape == (10, ROWS, COLUMNS, 1)
    assert data.train.images.dtype == np.uint8
    np.testing.assert_array_equal(np.argmax(data.train.labels, axis=1), np.arange(10))


def test_an_epoch_has_each_example_once_and_a_batch_may_reach_into_the_next(folder: str) -> None:
    train = input_data.read_data_sets(folder, validation_size=0, seed=3).train
    labels = np.concatenate([train.next_batch(4)[1] for _ in range(5)])
    assert sorted(labels[:10]) == list(range(10))
    assert sorted(labels[10:]) == list(range(10))
    assert train.epochs_completed == 1


def test_a_seed_repeats_the_order_and_no_shuffling_keeps_it(folder: str) -> None:
    def labels(**options: bool) -> list:
        train = input_data.read_data_sets(folder, validation_size=0, seed=3).train
        return np.concatenate([train.next_batch(5, **options)[1] for _ in range(4)]).tolist()

    assert labels() == labels()
    assert labels(shuffle=False) == list(range(10)) * 2


def test_images_go_with_their_labels(folder: str) -> None:
    train = input_data.read_data_sets(folder, validation_size=0, dtype=tf.uint8).train
    images, labels = train.next_batch(10)
    np.testing.assert_array_equal(images[:, 0], labels)


def test_files_that_are_missing_are_all_named(folder: str) -> None:
    (pathlib.Path(folder) / "t10k-images-idx3-ubyte.gz").unlink()
    (pathlib.Path(folder) / "train-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"train-labels-idx1-ubyte\.gz, t10k-images-idx3-ubyte\.gz"):
        input_data.read_data_sets(folder)


def test_a_file_of_another_kind_is_refused(folder: str) -> None:
    labels = pathlib.Path(folder) / "train-labels-idx1-ubyte.gz"
    labels.rename(pathlib.Path(folder) / "train-images-idx3-ubyte.gz")
    write(pathlib.Path(folder), "other", np.arange(1))
    (pathlib.Path(folder) / "other-labels-idx1-ubyte.gz").rename(labels)
    with pytest.raises(ValueError, match="Invalid magic number 2049 in MNIST image file"):
        input_data.read_data_sets(folder, validation_size=0)


def test_a_validation_part_larger_than_the_whole_is_refused(folder: str) -> None:
    with pytest.raises(ValueError, match="between 0 and 10"):
        input_data.read_data_sets(folder, validation_size=11)


def test_made_up_data_needs_no_files(tmp_path: pathlib.Path) -> None:
    images, labels = input_data.read_data_sets(str(tmp_path), fake_data=True, one_hot=True).train.next_batch(2, True)
    assert np.shape(images) == (2, 784)
    assert labels == [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]] * 2
