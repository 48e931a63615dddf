"""Arrays, variables and tables behind a dataset."""

from __future__ import annotations

import gc
import pathlib
import sys
import weakref
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from tests.dataset.values import numbers, values
from tests.forking import Server

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

if sys.argv[1] == "in memory":
    table = np.ones((300_000, 3072), np.uint8)
else:
    table = np.memmap(sys.argv[1], np.uint8, "r", shape=(1_000_000, 3072))
tf.constant(1.0) + 1.0
before = resident()
batches = iter(queuecompat.as_dataset(input_fn, table, strict=True))
assert next(batches).shape == (100, 3072)
grown = resident() - before
assert grown < float(sys.argv[2]), grown
"""


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read off /proc")
def test_a_memory_map_of_3_gb_stays_on_the_disk(tmp_path: pathlib.Path, server: Server) -> None:
    path = tmp_path / "table"
    with path.open("wb") as file:
        file.truncate(3_072_000_000)  # a hole: it takes no room on the disk either
    _grows_less_than(500e6, str(path), tmp_path, server)


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is read off /proc")
def test_an_array_in_memory_is_not_copied(tmp_path: pathlib.Path, server: Server) -> None:
    _grows_less_than(300e6, "in memory", tmp_path, server)  # it has 922 MB


def _grows_less_than(limit: float, table: str, scratch: pathlib.Path, server: Server) -> None:
    ran = server.run(["-c", _GROWTH, table, str(limit)], str(scratch))
    assert ran.exit_code == 0, ran.err


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


@pytest.mark.parametrize("early", [0, 1, 2, 8, 16, 48])
def test_an_array_is_looked_at_wherever_its_memory_begins(early: int) -> None:
    memory = np.zeros(2**21 + 128, np.uint8)
    begin = -memory.ctypes.data % 64 + early
    array = memory[begin : begin + 2**21].reshape(4, -1)
    array[:] = np.arange(4)[:, None] * 10 + np.arange(2**19) % 7
    dataset = queuecompat.as_dataset(rows_of, array)
    array[3, 0] = 77  # the dataset looks at the array itself, not at a copy
    np.testing.assert_array_equal(np.concatenate(values(dataset)), array)
    kept = sys.getrefcount(memory)
    del array, dataset
    gc.collect()
    assert sys.getrefcount(memory) < kept


@pytest.mark.parametrize("element", [(), (1,), (3, 5), (7, 1, 2)])
@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.int16, np.float32, np.complex64, np.complex128])
def test_rows_of_any_size_come_out_whole(element: Any, dtype: Any) -> None:
    size = int(np.prod(element, dtype=int)) * np.dtype(dtype).itemsize
    count = 2**21 // size
    # A list's memory begins wherever malloc likes: mostly 16 bytes behind a multiple of 64.
    array = (np.arange(count * size // np.dtype(dtype).itemsize) % 251).astype(dtype).reshape(count, *element)

    def input_fn() -> Any:
        (row,) = train.slice_input_producer([array], num_epochs=1, seed=1)
        assert row.shape.as_list() == list(element)
        return train.batch([row], 100)

    def order() -> Any:
        return train.batch([train.range_input_producer(count, num_epochs=1, seed=1).dequeue()], 100)

    rows = queuecompat.as_dataset(input_fn, strict=True).take(3).as_numpy_iterator()
    for batch, numbers_of_rows in zip(rows, queuecompat.as_dataset(order).as_numpy_iterator()):
        np.testing.assert_array_equal(batch, array[numbers_of_rows])


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


def looked_up() -> Any:
    offset = tf1.get_variable("offset", initializer=5)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([0], [1]), 0)
    return table.lookup(numbers(4, 2)) + offset


def test_variables_and_tables_go_with_the_dataset() -> None:
    dataset = queuecompat.as_dataset(looked_up, strict=True)
    assert values(dataset)[0].tolist() == [6, 5]
    binding = dataset._queuecompat.bind
    (variable,), (table,) = map(weakref.ref, binding._variables), binding._tables
    del dataset, binding
    gc.collect()
    assert variable() is None
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.LookupTableSizeV2(table_handle=table)


@pytest.mark.parametrize("built", ["graph", "function"])
def test_tables_are_freed_outside_of_what_the_program_is_building(built: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may run there: the op that frees a table failed, or became part of the function."""
    ignored: List[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    dataset = queuecompat.as_dataset(looked_up, strict=True)
    assert values(dataset)[0].tolist() == [6, 5]
    (table,) = dataset._queuecompat.bind._tables
    left = [dataset]
    del dataset

    def build() -> tf.Tensor:
        left.clear()
        gc.collect()
        return tf.constant(0)

    if built == "graph":
        with tf.Graph().as_default() as graph:
            build()
        values(queuecompat.as_dataset(looked_up, strict=True))
        gc.collect()
    else:
        graph = tf.function(build).get_concrete_function().graph
    assert {op.type for op in graph.get_operations()} <= {"Const", "Identity"}
    assert not ignored
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.LookupTableSizeV2(table_handle=table)
