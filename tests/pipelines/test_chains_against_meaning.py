"""Generated chains of queues, from rows to batches of batches, against what they mean: nested tuples in plain Python.

``QUEUECOMPAT_CHAINS`` says how many are tried; `tox -e long` tries 500.

A queue without a shuffle, filled by one thread, keeps the order; so its batches are known. After a shuffle, or several
threads, it is unknown which elements form a batch, but each element of the queue is still whole. So a chain has known
*items*, in a known order or not, below a number of levels whose grouping is unknown (``Meaning``).
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, List, NamedTuple, Tuple

import hypothesis.strategies as st
import numpy as np
import pytest
import tensorflow as real
from hypothesis import HealthCheck, given, settings

import queuecompat.v1 as tf
from tests.pipelines.running import drain, started, write_records

CHAINS = int(os.environ.get("QUEUECOMPAT_CHAINS", "25"))


class Work(NamedTuple):
    """What can happen to what leaves a queue: the same for an array and for a tensor.

    Attributes:
      needs: 0 if it happens to each number, so that groups do not matter; 1 if to a whole item; 2 if to its rows.
    """

    needs: int
    array: Any
    tensor: Any


def _number_by_number(change: Any) -> Work:
    return Work(0, change, change)


WORKS = {
    "scaled": _number_by_number(lambda given: given * 3 + 1),
    "squared": _number_by_number(lambda given: (given % 1009) * (given % 1009) % 1009),
    "as text": Work(0, lambda given: given, lambda given: tf.string_to_number(tf.as_string(given), tf.int32)),
    "odd ones": Work(
        0,
        lambda given: np.where(given % 2 == 1, given + 4, given),
        lambda given: tf.where(tf.equal(given % 2, 1), given + 4, given),
    ),
    "decided": Work(
        1,
        lambda given: given + 9 if given.flat[0] % 2 else given * 2,
        lambda given: tf.cond(tf.equal(_first(given) % 2, 1), lambda: given + 9, lambda: given * 2),
    ),
    "looped": Work(
        1,
        lambda given: given * 2 ** (given.flat[0] % 3),
        lambda given: tf.while_loop(
            lambda step, _: step < _first(given) % 3, lambda step, so_far: (step + 1, so_far * 2), (0, given)
        )[1],
    ),
    "reversed": Work(2, lambda given: given[::-1], lambda given: tf.reverse(given, [0])),
    "summed up": Work(2, lambda given: np.cumsum(given, axis=0) % 1009, lambda given: tf.cumsum(given) % 1009),
    "less the least": Work(2, lambda given: given - given.min(axis=0), lambda given: given - tf.reduce_min(given, 0)),
    "rolled": Work(2, lambda given: np.roll(given, 1, 0), lambda given: tf.concat([given[-1:], given[:-1]], 0)),
    "sorted": Work(2, lambda given: np.sort(given, -1), lambda given: tf.sort(given)),
    "turned": Work(
        2, lambda given: given.T.reshape(given.shape), lambda given: tf.reshape(tf.transpose(given), given.shape)
    ),
    "chosen": Work(
        2,
        lambda given: given[given.flat[0] % len(given) :][:1].repeat(len(given), 0),
        lambda given: tf.reshape(
            tf.tile(given[_first(given) % given.shape[0] :][:1], [given.shape[0]] + [1] * (given.shape.rank - 1)),
            given.shape,
        ),
    ),
    "mapped": Work(2, lambda given: given + 2, lambda given: tf.map_fn(lambda row: row + 2, given)),
}


def _first(tensor: Any) -> Any:
    return tf.reshape(tensor, [-1])[0]


@dataclasses.dataclass(frozen=True)
class Link:
    """One queue of a chain.

    Attributes:
      kind: a batcher, or a queue that the program builds: "own fifo", "own shuffle".
      is_many: whether its elements are the rows of what enters it, if that has rows.
      size: of the batches that leave it; 0 to leave one by one, which only the program's own queues can do.
      work: what happens to what leaves it.
    """

    kind: str
    is_many: bool
    size: int
    threads: int
    seed: Any
    capacity: int
    work: Tuple[str, ...]

    @property
    def keeps_order(self) -> bool:
        return "shuffle" not in self.kind and self.threads == 1


@dataclasses.dataclass(frozen=True)
class Source:
    """Attributes:
    is_uneven: whether some numbers take longer to compute than others, so that parallel calls would overtake.
    """

    kind: str
    is_uneven: bool
    is_shuffled: bool
    num_epochs: int


SOURCES = st.builds(
    Source,
    kind=st.sampled_from(["range", "slices", "records", "files"]),
    is_uneven=st.booleans(),
    is_shuffled=st.booleans(),
    num_epochs=st.integers(1, 2),
)
LINKS = st.builds(
    Link,
    kind=st.sampled_from(["batch", "shuffle_batch", "batch_join", "shuffle_batch_join", "own fifo", "own shuffle"]),
    is_many=st.booleans(),
    size=st.sampled_from([0, 1, 2, 3, 4, 6]),
    threads=st.sampled_from([1, 1, 1, 2]),
    seed=st.sampled_from([None, None, 7]),
    capacity=st.integers(6, 30),
    work=st.lists(st.sampled_from(sorted(WORKS)), max_size=2).map(tuple),
)
ROWS = 48  # in one epoch; a multiple of the sizes of a chain, so that no batch is smaller than the others


@dataclasses.dataclass
class Meaning:
    """What a tensor of a chain holds, in all its runs together.

    Attributes:
      items: numbers, or nested tuples of numbers.
      rank: that of an item.
      is_ordered: whether they come in the order of *items*.
      levels: how many levels of unknown groups are around the items; 0 if the runs of the tensor are the items.
    """

    items: List[Any]
    rank: int = 0
    is_ordered: bool = True
    levels: int = 0

    def enters(self, link: Link) -> None:
        if link.is_many and self.levels:
            self.levels -= 1
        elif link.is_many:
            self.items, self.rank = ([row for item in self.items for row in item], self.rank - 1)
        self.is_ordered &= link.keeps_order

    def leaves_in_batches(self, size: int) -> None:
        if self.is_ordered:
            self.items = [tuple(self.items[begin : begin + size]) for begin in range(0, len(self.items), size)]
            self.rank += 1
        else:
            self.levels += 1

    def can(self, work: str) -> bool:
        needs = WORKS[work].needs
        return not needs or (not self.levels and self.rank >= needs - 1)

    def changes(self, work: str) -> None:
        self.items = [_nested(WORKS[work].array(np.array(item))) for item in self.items]

    def in_runs(self, runs: List[Any]) -> List[Any]:
        """The items that the *runs* of the tensor have delivered, in the order of *items* if that is known."""
        for _ in range(self.levels):
            runs = [row for one in runs for row in one]
        return [_nested(np.array(one)) for one in runs]


def _nested(array: Any) -> Any:
    return tuple(map(_nested, array)) if np.ndim(array) else int(array)


# -- the chain ----------------------------------------------------------------------------


def numbers(source: Source, folder: Any) -> Any:
    arguments = {"num_epochs": source.num_epochs, "shuffle": source.is_shuffled}
    if source.kind == "range":
        return tf.train.range_input_producer(ROWS, **arguments).dequeue()
    if source.kind == "slices":
        return tf.train.slice_input_producer([np.arange(ROWS, dtype=np.int32)], **arguments)[0]
    size = ROWS if source.kind == "records" else 12
    paths = [
        write_records(folder / f"{begin}.tfrecord", [str(one).encode() for one in range(begin, begin + size)])
        for begin in range(0, ROWS, size)
    ]
    queue = tf.train.string_input_producer(paths, **arguments)
    return tf.string_to_number(tf.TFRecordReader().read(queue)[1], tf.int32)


def unevenly(number: Any) -> Any:
    """*number*, some of which take a hundred times as long as others."""
    work = number % 4 * 100_000
    return number + tf.reduce_max(tf.range(work + 1)) - work


def batched(tensors: List[Any], link: Link, size: int) -> List[Any]:
    """*tensors* after the queue of *link*."""
    if link.kind.startswith("own"):
        return through_own_queue(tensors, link, size)
    arguments = {"batch_size": size, "capacity": link.capacity, "enqueue_many": link.is_many}
    if "shuffle" in link.kind:
        arguments.update(min_after_dequeue=2, seed=link.seed)
    if "join" in link.kind:
        return getattr(tf.train, link.kind)([tensors] * link.threads, **arguments)
    return getattr(tf.train, link.kind)(tensors, num_threads=link.threads, **arguments)


def through_own_queue(tensors: List[Any], link: Link, size: int) -> List[Any]:
    dtypes = [one.dtype for one in tensors]
    shapes = [one.shape[1:] if link.is_many else one.shape for one in tensors]
    if link.kind == "own fifo":
        queue = tf.FIFOQueue(link.capacity, dtypes, shapes)
    else:
        queue = tf.RandomShuffleQueue(link.capacity, 2, dtypes, shapes, seed=link.seed)
    enqueue = queue.enqueue_many(tensors) if link.is_many else queue.enqueue(tensors)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * link.threads))
    return queue.dequeue_many(size) if size else queue.dequeue()


def size_for(link: Link, tensor: Any, all_numbers: int) -> int:
    """The size of the batches that leave the queue: the largest that *link* allows and that leaves no remainder."""
    shape = tensor.shape[1:] if link.is_many else tensor.shape
    count = all_numbers // int(np.prod(shape, dtype=int))
    allowed = [size for size in range(1, link.size + 1) if count % size == 0]
    return max(allowed, default=0 if link.kind.startswith("own") else 1)


def drained_by_two(tensors: List[Any]) -> List[Any]:
    """What two batchers of the same *tensors* deliver together; each element goes to one of them."""
    consumers = [tf.train.batch(tensors, 1) for _ in range(2)]
    runs: List[Any] = []
    with started() as sess:
        while consumers:
            for consumer in list(consumers):
                try:
                    runs.append([one[0] for one in sess.run(consumer)])
                except tf.errors.OutOfRangeError:
                    consumers.remove(consumer)
    return runs


@settings(max_examples=CHAINS, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck))
@given(source=SOURCES, links=st.lists(LINKS, min_size=1, max_size=3), is_shared=st.booleans())
@pytest.mark.timeout(1800)
def test_a_generated_chain_of_queues_delivers_what_it_means(
    tmp_path_factory: pytest.TempPathFactory, source: Source, links: List[Link], is_shared: bool
) -> None:
    rows = list(range(ROWS)) * source.num_epochs
    ones, others = Meaning(rows), Meaning([row + 500 for row in rows])
    ones.is_ordered = others.is_ordered = not source.is_shuffled
    with real.Graph().as_default():
        number = numbers(source, tmp_path_factory.mktemp("files"))
        number = unevenly(number) if source.is_uneven else number
        tensors = [number, number + 500]
        for link in links:
            link = dataclasses.replace(link, is_many=link.is_many and tensors[0].shape.rank > 0)
            size = size_for(link, tensors[0], len(rows))
            tensors = list(batched(tensors, link, size))
            for meaning in (ones, others):
                meaning.enters(link)
                if size:
                    meaning.leaves_in_batches(size)
            for work in filter(ones.can, link.work):
                tensors = [WORKS[work].tensor(tensor) for tensor in tensors]
                ones.changes(work)
                others.changes(work)
        if is_shared:
            runs = drained_by_two(tensors)
            ones.is_ordered = False
        else:
            runs = drain(tensors)
    expected = list(zip(ones.items, others.items))
    delivered = list(zip(ones.in_runs([one for one, _ in runs]), others.in_runs([other for _, other in runs])))
    if not ones.is_ordered:
        expected, delivered = sorted(expected), sorted(delivered)
    assert delivered == expected
