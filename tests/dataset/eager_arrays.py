"""Arrays, variables and tables behind a dataset. Run by ``test_eager.py``."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from tests.dataset.values import numbers, values

tf1 = tf.compat.v1
ROOT = pathlib.Path(__file__).parents[2]


_GROWTH = """
import sys
import numpy as np, tensorflow as tf, queuecompat
from queuecompat import train

def resident():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * 4096

def input_fn(table):
    row, = train.slice_input_producer([table], num_epochs=1)
    return train.shuffle_batch([row], 100, capacity=1000, min_after_dequeue=500)

table = np.memmap(sys.argv[1], np.uint8, "r", shape=(1_000_000, 3072))
tf.constant(1.0) + 1.0
before = resident()
batches = iter(queuecompat.as_dataset(input_fn, table, strict=True))
assert next(batches).shape == (100, 3072)
grown = resident() - before
assert grown < 500e6, grown
"""


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read off /proc")
def test_a_memory_map_of_3_gb_stays_on_the_disk(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "table"
    with path.open("wb") as file:
        file.truncate(3_072_000_000)  # a hole: it takes no room on the disk either
    subprocess.run([sys.executable, "-c", _GROWTH, str(path)], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


def rows_of(array: np.ndarray) -> Any:
    (row,) = train.slice_input_producer([array], num_epochs=1, shuffle=False)
    return train.batch([row], 2)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.float32, np.float64, np.float16, np.int64, np.bool_, np.complex64, ">i4"]
)
def test_large_arrays_of_all_types_are_served_read_only_or_not(dtype: Any, tmp_path: pathlib.Path) -> None:
    array = (np.arange(4 * 2**19) % 7).reshape(4, -1).astype(dtype)
    np.save(tmp_path / "array.npy", array)
    array.flags.writeable = False
    for given in (array, array[::-1][::-1], np.load(tmp_path / "array.npy", mmap_mode="r")):
        np.testing.assert_array_equal(np.concatenate(values(queuecompat.as_dataset(rows_of, given))), array)


def test_the_memory_of_an_array_is_kept_until_the_dataset_goes() -> None:
    memory = np.zeros(2**21 + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    array = memory[begin : begin + 2**21].reshape(4, -1)
    dataset = queuecompat.as_dataset(rows_of, array)
    array[3, 0] = 7  # the dataset looks at the array itself
    assert values(dataset)[1][1, 0] == 7
    kept = sys.getrefcount(memory)
    del array, dataset
    gc.collect()
    assert sys.getrefcount(memory) < kept


@pytest.mark.parametrize("wide", [1, 200_000])
def test_arrays_of_different_lengths_are_padded_only_in_their_batch(wide: int) -> None:
    rows = [np.arange(n * wide, dtype=np.float32).reshape(n, wide) for n in (1, 3, 2, 5)]

    def input_fn() -> Any:
        row, number = train.slice_input_producer([rows, np.arange(4)], num_epochs=1, shuffle=False)
        assert row.shape.as_list() == [None, wide]
        return train.batch([row, number], 2, dynamic_pad=True)

    batches = values(queuecompat.as_dataset(input_fn, strict=True))
    assert [batch.shape for batch, _ in batches] == [(2, 3, wide), (2, 5, wide)]
    for batch, numbers_of_rows in batches:
        for padded, number in zip(batch, numbers_of_rows):
            length = len(rows[number])
            np.testing.assert_array_equal(padded[:length], rows[number])
            assert not padded[length:].any()


def test_variables_and_tables_go_with_the_dataset() -> None:
    def input_fn() -> Any:
        offset = tf1.get_variable("offset", initializer=5)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([0], [1]), 0)
        return table.lookup(numbers(4, 2)) + offset

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    assert values(dataset)[0].tolist() == [6, 5]
    binding = dataset._queuecompat.bind
    (variable,), (table,) = map(weakref.ref, binding._variables), binding._tables
    del dataset, binding
    gc.collect()
    assert variable() is None
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.LookupTableSizeV2(table_handle=table)
