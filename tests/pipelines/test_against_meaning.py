"""Generated pipelines against what they mean: a few lines of plain Python over lists.

``QUEUECOMPAT_PIPELINES`` says how many are tried; `tox -e long` tries a thousand.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Iterator, List, Tuple

import hypothesis.strategies as st
import numpy as np
import pytest
import tensorflow as real
from hypothesis import HealthCheck, given, settings

import queuecompat.v1 as tf
from tests.pipelines.running import drain, write_records

PIPELINES = int(os.environ.get("QUEUECOMPAT_PIPELINES", "75"))


@dataclasses.dataclass(frozen=True)
class Source:
    """*kind* of numbers' source; every list of a join has one of its own."""

    kind: str
    rows: int
    num_epochs: int
    shuffle: bool


@dataclasses.dataclass(frozen=True)
class Work:
    """What happens to a number: scaled, grown into a block of rows, kept or not."""

    scale: int
    block: int
    keep: str
    modulus: int


@dataclasses.dataclass(frozen=True)
class Batcher:
    """*minimum* None: not shuffled."""

    size: int
    capacity: int
    minimum: Any
    smaller: bool
    num_threads: int


KINDS = ("range", "slices", "strings", "records", "lines", "whole files", "fixed lengths")

SOURCES = st.builds(
    Source,
    kind=st.sampled_from(KINDS),
    rows=st.integers(1, 9),
    num_epochs=st.integers(1, 3),
    shuffle=st.booleans(),
)
WORK = st.builds(
    Work,
    scale=st.integers(1, 5),
    block=st.integers(0, 3),
    keep=st.sampled_from(["all", "scalar", "vector"]),
    modulus=st.integers(1, 3),
)
BATCHERS = st.builds(
    Batcher,
    size=st.integers(1, 7),
    capacity=st.integers(3, 20),
    minimum=st.one_of(st.none(), st.integers(0, 2)),
    smaller=st.booleans(),
    num_threads=st.integers(1, 3),
)


# -- the meaning -----------------------------------------------------------------------------


def numbers_of(source: Source) -> List[int]:
    return list(range(source.rows)) * source.num_epochs


def rows_of(number: int, work: Work) -> List[int]:
    scaled = number * work.scale
    rows = [scaled] if work.block == 0 else [scaled + offset for offset in range(work.block)]
    if work.keep == "scalar":
        return rows if number % work.modulus == 0 else []
    if work.keep == "vector" and work.block:
        return [row for row in rows if row % work.modulus == 0]
    return rows


def batches_of(rows: List[int], batcher: Batcher) -> Iterator[List[int]]:
    for begin in range(0, len(rows), batcher.size):
        batch = rows[begin : begin + batcher.size]
        if len(batch) == batcher.size or batcher.smaller:
            yield batch


# -- the pipeline ----------------------------------------------------------------------------


def drawn(source: Source, folder: Any) -> Any:
    arguments = {"num_epochs": source.num_epochs, "shuffle": source.shuffle}
    texts = [str(number) for number in range(source.rows)]
    if source.kind == "range":
        return tf.train.range_input_producer(source.rows, **arguments).dequeue()
    if source.kind == "slices":
        return tf.train.slice_input_producer([np.arange(source.rows, dtype=np.int32)], **arguments)[0]
    if source.kind == "strings":
        return number_in(tf.train.string_input_producer(texts, **arguments).dequeue())
    if source.kind == "whole files":
        queue = tf.train.string_input_producer([in_file(folder, t, t) for t in texts], **arguments)
        return number_in(tf.WholeFileReader().read(queue)[1])
    if source.kind == "records":
        path, reader = write_records(folder / f"r{source.rows}", [t.encode() for t in texts]), tf.TFRecordReader()
    elif source.kind == "lines":
        path, reader = in_file(folder, f"l{source.rows}", "\n".join(["header", *texts])), tf.TextLineReader(1)
    else:
        path, reader = in_file(folder, f"f{source.rows}", "".join(texts)), tf.FixedLengthRecordReader(1)
    return number_in(reader.read(tf.train.string_input_producer([path], **arguments))[1])


def in_file(folder: Any, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def number_in(text: Any) -> Any:
    return tf.string_to_number(text, tf.int32)


def batched(sources: Tuple[Source, ...], work: Work, batcher: Batcher, folder: Any) -> Any:
    numbers = [drawn(source, folder) for source in sources]
    lists = [[n * work.scale if work.block == 0 else n * work.scale + tf.range(work.block)] for n in numbers]
    arguments = {
        "batch_size": batcher.size,
        "capacity": batcher.capacity,
        "enqueue_many": work.block > 0,
        "allow_smaller_final_batch": batcher.smaller,
    }
    call = "batch" if batcher.minimum is None else "shuffle_batch"
    if batcher.minimum is not None:
        arguments["min_after_dequeue"] = batcher.minimum
    if len(sources) > 1:
        return getattr(tf.train, call + "_join")(lists, **arguments)
    if work.keep != "all":
        is_vector = work.keep == "vector" and work.block > 0
        call = "maybe_" + call
        tested = lists[0][0] if is_vector else numbers[0]
        arguments["keep_input"] = tf.equal(tested % work.modulus, 0) if is_vector or work.keep == "scalar" else True
    return getattr(tf.train, call)(lists[0], num_threads=batcher.num_threads, **arguments)


@settings(max_examples=PIPELINES, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck))
@given(sources=st.lists(SOURCES, min_size=1, max_size=3).map(tuple), work=WORK, batcher=BATCHERS)
@pytest.mark.timeout(1800)
def test_a_generated_pipeline_delivers_what_its_plan_means(
    tmp_path_factory: pytest.TempPathFactory, sources: Tuple[Source, ...], work: Work, batcher: Batcher
) -> None:
    if len(sources) > 1:
        work = dataclasses.replace(work, keep="all")
    with real.Graph().as_default():
        batches = drain(batched(sources, work, batcher, tmp_path_factory.mktemp("files")))
    rows = [row for source in sources for number in numbers_of(source) for row in rows_of(number, work)]
    expected = list(batches_of(rows, batcher))
    assert [len(batch) for batch in batches] == [len(batch) for batch in expected]
    given_rows = [int(row) for batch in batches for row in batch]
    is_ordered = len(sources) == 1 and batcher.num_threads == 1 and not sources[0].shuffle and batcher.minimum is None
    if is_ordered:
        assert given_rows == [row for batch in expected for row in batch]
    elif batcher.smaller or len(rows) % batcher.size == 0:
        assert sorted(given_rows) == sorted(rows)
    else:
        assert not subtracted(given_rows, rows)


def subtracted(rows: List[int], among: List[int]) -> List[int]:
    """Those of *rows* that are not found *among* the others, each of which may be taken once."""
    left = list(among)
    return [row for row in rows if row not in left or left.remove(row)]  # type: ignore[func-returns-value]
