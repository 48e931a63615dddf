"""``input_data.read_data_sets``: the MNIST files as NumPy arrays; see ``queuecompat.contrib.learn.datasets.mnist``."""

from __future__ import annotations

from queuecompat.contrib.learn.datasets.mnist import (
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)

__all__ = [
    "DataSet",
    "Datasets",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "load_mnist",
    "read_data_sets",
]
