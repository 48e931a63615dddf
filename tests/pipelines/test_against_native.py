"""Generated pipelines, built by the same function on tf.compat.v1's queues and on ours.

The same structure, types and static shapes; the same multiset of rows; the same batches where the
order is fixed; the same ending. Every argument of every producer and batcher takes part.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import pathlib
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pytest
import tensorflow as tf2
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import queuecompat.v1 as tf
from queuecompat import readers
from queuecompat._plan.registry import Pipelines
from tests.natively import natively
from tests.pipelines.running import started, write_records

native = tf2.compat.v1


@dataclasses.dataclass(frozen=True)
class Source:
    """A producer and what it produces."""

    kind: str
    rows: int
    num_epochs: Optional[int]
    shuffle: bool
    seed: Optional[int]
    capacity: int


@dataclasses.dataclass(frozen=True)
class Batcher:
    call: str
    structure: str
    arguments: Tuple[Tuple[str, Any], ...]
    is_ragged: bool

    def __getitem__(self, name: str) -> Any:
        return dict(self.arguments)[name]


sources = st.builds(
    Source,
    kind=st.sampled_from(["range", "rows", "slices", "strings", "records"]),
    rows=st.integers(1, 9),
    num_epochs=st.sampled_from([1, 2, 3, None]),
    shuffle=st.booleans(),
    seed=st.sampled_from([None, 7]),
    capacity=st.integers(1, 40),
)


@st.composite
def batchers(draw: Any) -> Batcher:
    call = draw(st.sampled_from(["batch", "shuffle_batch"]))
    arguments = {
        "batch_size": draw(st.integers(1, 5)),
        "num_threads": draw(st.integers(1, 3)),
        "enqueue_many": draw(st.booleans()),
        "allow_smaller_final_batch": draw(st.booleans()),
        "name": draw(st.sampled_from([None, "given"])),
    }
    if call == "batch":
        arguments["capacity"] = draw(st.integers(1, 20))
        arguments["dynamic_pad"] = draw(st.booleans())
    else:
        arguments["min_after_dequeue"] = draw(st.integers(0, 10))
        arguments["capacity"] = arguments["min_after_dequeue"] + draw(st.integers(1, 10))
        arguments["seed"] = draw(st.sampled_from([None, 3]))
    structure = draw(st.sampled_from(["list", "dict", "tensor"]))
    return Batcher(call, structure, tuple(sorted(arguments.items())), bool(arguments.get("dynamic_pad")))


class Library:
    """One of the two sides: where its train functions and its reader are."""

    def __init__(self, train: Any, reader: Any) -> None:
        self.train = train
        self.reader = reader


OURS = Library(tf.train, readers.TFRecordReader)
NATIVE = Library(native.train, native.TFRecordReader)


def row_of(library: Library, source: Source, folder: pathlib.Path) -> tf2.Tensor:
    """One element of *source*, as an int64 scalar."""
    produce = dict(num_epochs=source.num_epochs, shuffle=source.shuffle, seed=source.seed, capacity=source.capacity)
    train, values = library.train, np.arange(source.rows) * 10
    if source.kind == "range":
        return tf.cast(train.range_input_producer(source.rows, **produce).dequeue() * 10, tf.int64)
    if source.kind == "rows":
        return train.input_producer(np.stack([values, values], 1), **produce).dequeue()[1]
    if source.kind == "slices":
        first, second = train.slice_input_producer([values, values + 1], **produce)
        return first + second - first - 1
    if source.kind == "strings":
        return tf.string_to_number(train.string_input_producer([str(v) for v in values], **produce).dequeue(), tf.int64)
    halves = [values[: source.rows // 2], values[source.rows // 2 :]]
    files = [write_records(folder / str(n), [b"%d" % v for v in half]) for n, half in enumerate(halves)]
    record = library.reader().read(train.string_input_producer(files, **produce))[1]
    return tf.string_to_number(record, tf.int64)


def batched(library: Library, source: Source, batcher: Batcher, folder: pathlib.Path) -> Any:
    row = row_of(library, source, folder)
    # 1 to 3 copies of the row where sizes may differ; two rows a run where several are enqueued.
    ragged = tf.fill([row // 10 % 3 + 1], row) if batcher.is_ragged else tf.stack([row, row])
    components = [row, ragged, tf.as_string(row)]
    if batcher["enqueue_many"]:
        components = [tf.stack([component, component]) for component in components]
    if batcher.structure == "tensor":
        tensors: Any = components[1:2]
    elif batcher.structure == "dict":
        tensors = {"z": components[0], "a": components[1], "m": components[2]}
    else:
        tensors = components
    return getattr(library.train, batcher.call)(tensors, **dict(batcher.arguments))


def steps_of(fetches: Any, limit: int) -> Tuple[List[Any], bool]:
    """The batches, and whether the data ended."""
    given_ = []
    with started() as sess:
        for _ in range(limit):
            try:
                given_.append(sess.run(fetches))
            except tf.errors.OutOfRangeError:
                return given_, True
    return given_, False


def described(structure: Any) -> Any:
    if isinstance(structure, dict):
        return [(key, described(value)) for key, value in structure.items()]
    if isinstance(structure, list):
        return [described(value) for value in structure]
    return structure.name, structure.dtype.name, structure.shape.as_list()


def rows_in(steps: List[Any]) -> collections.Counter[Any]:
    """Every row, without its padding: padded zeros depend on who shared the batch."""
    found: collections.Counter[Any] = collections.Counter()
    for step in steps:
        parts = (
            [step[key] for key in sorted(step)]
            if isinstance(step, dict)
            else step
            if isinstance(step, list)
            else [step]
        )
        for row in zip(*parts):
            found[
                tuple(
                    tuple(np.trim_zeros(np.atleast_1d(p), "b").tolist()) if np.asarray(p).dtype.kind in "iu" else p
                    for p in row
                )
            ] += 1
    return found


def run(library: Library, source: Source, batcher: Batcher, folder: pathlib.Path, limit: int) -> Dict[str, Any]:
    with tf.Graph().as_default():
        fetches = batched(library, source, batcher, folder)
        steps, ended = steps_of(fetches, limit)
        return {"looks": described(fetches), "steps": steps, "ended": ended}


def test_what_is_compared_with_is_not_compiled() -> None:
    source = Source("range", rows=10, num_epochs=1, shuffle=False, seed=None, capacity=8)
    batcher = Batcher("batch", "list", (("batch_size", 5), ("enqueue_many", False)), is_ragged=False)
    for left_alone in (True, False):
        with natively() if left_alone else contextlib.nullcontext(), tf.Graph().as_default() as graph:
            steps, ended = steps_of(batched(NATIVE, source, batcher, pathlib.Path()), 10)
            assert len(steps) == 2 and ended, steps
            assert (Pipelines.find(graph) is None) == left_alone


@pytest.mark.timeout(600)
@settings(max_examples=100, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck))
@given(source=sources, batcher=batchers())
def test_a_generated_pipeline_delivers_what_native_queues_deliver(
    source: Source, batcher: Batcher, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("records")
    limit = 1000 if source.num_epochs else 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a pipeline that falls back to native queues is not compiled
        ours = run(OURS, source, batcher, folder, limit)
        warnings.simplefilter("ignore")
        with natively():
            theirs = run(NATIVE, source, batcher, folder, limit)
    note(f"ours {ours}\ntheirs {theirs}")

    assert ours["looks"] == theirs["looks"]
    assert ours["ended"] == theirs["ended"]
    mine, other = rows_in(ours["steps"]), rows_in(theirs["steps"])
    sizes = [[len(tf2.nest.flatten(step)[0]) for step in side["steps"]] for side in (ours, theirs)]
    assert sizes[0] == sizes[1]
    if batcher["allow_smaller_final_batch"] and source.num_epochs:
        assert mine == other
    has_order = batcher.call == "batch" and batcher["num_threads"] == 1
    if has_order and (source.seed is not None or not source.shuffle):
        for my_step, their_step in zip(ours["steps"], theirs["steps"]):
            for a, b in zip(tf2.nest.flatten(my_step), tf2.nest.flatten(their_step)):
                np.testing.assert_array_equal(a, b)
