"""Batches that were padded, collated or transformed, as TensorFlow's tensors and datasets."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tensorflow as tf

from tests.loader import loads
from tests.loader.sources import lists
from tests.loader.test_batches import STEPS, make


@pytest.mark.parametrize("name", STEPS)
def test_a_dataset_has_the_finished_batches(name: str) -> None:
    with make(**STEPS[name]) as loader:
        dataset = loader.as_dataset()
        batches = [tf.nest.map_structure(lambda tensor: tensor.numpy().tolist(), batch) for batch in dataset]
    expected = lists(make(**STEPS[name]))

    def text(batch: object) -> str:
        return json.dumps(batch, sort_keys=True)

    assert list(map(text, batches)) == list(map(text, expected))


def test_a_dataset_of_transformed_batches_knows_their_shape() -> None:
    with make(load=loads.same, batch_transform=lambda batch: np.eye(30)[batch], drop_remainder=True) as loader:
        assert loader.as_dataset().element_spec.shape == (4, 30)
    with make(load=loads.same, batch_transform=lambda batch: np.eye(30)[batch]) as loader:
        assert loader.as_dataset().element_spec.shape.as_list() == [None, 30]


def test_tensorflows_tensors_use_the_batchs_memory() -> None:
    with make(range(8), loads.nested, output="tensorflow") as loader, make(range(8), loads.nested) as plain:
        for tensors, arrays in zip(loader, plain):
            assert isinstance(tensors["pair"].image, tf.Tensor)
            np.testing.assert_array_equal(tensors["pair"].image.numpy(), arrays["pair"].image)
            assert tensors["name"].numpy().tolist() == [name.encode() for name in arrays["name"]]


def test_tensorflow_copies_nothing_of_an_aligned_array() -> None:
    from queuecompat.loader.outputs import converter

    convert = converter("tensorflow")
    assert convert is not None
    raw = np.zeros(256, np.uint8)
    aligned = raw[-raw.ctypes.data % 64 :][:64].view(np.float32)
    tensor = convert(aligned)
    aligned[0] = 5
    assert tensor[0].numpy() == 5
    # Its kernels may read 64 bytes at once, from an address that they divide.
    other = raw[-raw.ctypes.data % 64 + 4 :][:64].view(np.float32)
    tensor = convert(other)
    other[0] = 7
    assert tensor[0].numpy() != 7


@pytest.mark.parametrize("kind", ["read-only", "other byte order", "neither"])
def test_tensorflow_gets_a_copy_of_what_it_cannot_look_at(kind: str) -> None:
    memory = np.zeros(1000, np.float32)
    start = -memory.ctypes.data % 64 // 4
    array = memory[start : start + 600]
    array[...] = np.arange(600)
    if kind == "other byte order":
        array = array.view(">f4")
        array[...] = np.arange(600)
    array.flags.writeable = kind != "read-only"
    (tensor,) = make(range(2), loads.same, batch_size=2, output="tensorflow", collate=lambda examples: array)
    assert tensor.dtype.name == "float32"
    assert tensor.numpy().tolist() == list(range(600))
