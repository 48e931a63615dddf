"""A shuffle buffer that is drawn from before it is full, and grows meanwhile.

It goes through three datasets, one after the other, which share an iterator over the input and a pool:

1. *fill*: the first elements go into the pool; none comes out.
2. *grow*: each draw takes an element of the input and returns one of the pool, or the same one; of some draws the
   input has to give one more, which stays.
3. *full*: what is in the pool, and after it the rest of the input, through a plain ``Dataset.shuffle``.

Rule 1: no thread of its own, no wait but for the input: what is asked for is what is read.
Rule 2: which draws read one more is fixed, so that a seed means the same order every time.
Rule 3: an element is in the pool or in the shuffle buffer, never in both: together they hold ``buffer`` of them.
Rule 4: an error of the input is raised by the draw that met it; the next draw goes on, and no other element is lost.

Of the program's own queues nothing is known: whether more will come, and when. So a pool after them never becomes
*full*: it reads one more while there is something in the queues, and returns what it has while there is nothing, down
to the elements that it keeps. That is what TF1's queue did.

Everything begins with an iterator of the dataset, so it belongs to that alone. The pool is a table without a name:
it holds elements of any types and shapes, packed as optionals, under the numbers from 0.
Measured on 2 processors, TF 2.12 and 2.21, us of CPU an element more than a plain shuffle: grow 15 to 50, full 2 to 14.
A ``py_func`` that does nothing takes 60 and more.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Sequence

import tensorflow as tf

from queuecompat._backends.tfdata.functions import traced
from queuecompat._backends.tfdata.mapping import mapped
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._plan import ir
from queuecompat._plan.resources import Stream

__all__ = ["growing"]

# One draw of so many reads two elements. The consumer of a slow input waits a quarter longer while the
# pool grows; never longer than it would have waited for a pool that is filled first.
DRAWS_FOR_ONE_MORE = 4

no_autograph = tf.autograph.experimental.do_not_convert


def growing(elements: tf.data.Dataset, step: ir.Shuffle, seed: Any, own: Sequence[Stream] = ()) -> tf.data.Dataset:
    """*elements* shuffled as *step* says, which has a growth.

    Args:
      seed: decides the draws: a number, or an int64 scalar; None: they are different ones each time.
      own: the streams that the growth names.
    """
    # When elements have ended they are not asked again: a Python function could go on after its StopIteration.
    elements = without_tfdata_optimizer(elements.concatenate(elements.take(0)))

    @no_autograph
    def begun(_: tf.Tensor) -> tf.data.Dataset:
        return _Growing(elements, step, seed, own).dataset()

    return tf.data.Dataset.range(1).flat_map(begun)


class _Growing:
    """One iterator's pool, and what takes from it. To be made where that iterator begins."""

    def __init__(self, elements: tf.data.Dataset, step: ir.Shuffle, seed: Any, own: Sequence[Stream]) -> None:
        self._step = step
        self._seed = seed
        self._own = own
        # Op by op in one thread TensorFlow runs no branches.
        self._branches = bool(own)
        self._specs = {
            "output_types": [spec.dtype for spec in step.components],
            "output_shapes": [spec.shape for spec in step.components],
        }
        self._iterator = tf.raw_ops.AnonymousIteratorV3(**self._specs)
        tf.raw_ops.MakeIterator(dataset=tf.data.experimental.to_variant(elements), iterator=self._iterator)
        self._pool = tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.int64, value_dtype=tf.variant)

    def dataset(self) -> tf.data.Dataset:
        return self._fill().concatenate(self._grow()).concatenate(self._full())

    def _fill(self) -> tf.data.Dataset:
        assert self._step.growth is not None
        filled = self._calls(self._put, tf.data.Dataset.range(sys.maxsize)).take(self._step.growth.least)
        return filled.filter(no_autograph(lambda *_: False))

    def _grow(self) -> tf.data.Dataset:
        growth, seed = self._step.growth, self._seed
        assert growth is not None
        one_more = [0] * (DRAWS_FOR_ONE_MORE - 1) + [1]
        steady = tf.data.Dataset.from_tensors(tf.constant(0, tf.int64)).repeat(growth.steady)
        grows = tf.data.Dataset.from_tensor_slices(tf.constant(one_more, tf.int64))
        grows = grows.repeat(None if self._own else self._step.buffer - 1 - growth.least)
        one, two = (self._draw_own, self._put_and_draw_own) if self._own else (self._swap, self._put_and_swap)
        draws = [
            self._calls(one, tf.data.Dataset.random(seed)),
            self._calls(two, tf.data.Dataset.random(None if seed is None else seed + 1)),
        ]
        return tf.data.Dataset.choose_from_datasets(draws, steady.concatenate(grows))

    def _full(self) -> tf.data.Dataset:
        numbers = tf.data.Dataset.range(1).flat_map(no_autograph(lambda _: tf.data.Dataset.range(self._size())))
        rest = self._calls(lambda _: self._read(), tf.data.Dataset.range(sys.maxsize))
        together = self._calls(self._take_out, numbers).concatenate(rest)
        return together.shuffle(self._step.buffer, seed=self._seed)

    def _calls(self, function: Callable[[tf.Tensor], Sequence[tf.Tensor]], numbers: Any) -> tf.data.Dataset:
        """What *function* returns for each of *numbers*, until the input ends."""
        called = traced(function, [tf.TensorSpec([], tf.int64)])
        return mapped(numbers, called, self._step.components, ends=True, inline=not self._branches)

    def _read(self) -> List[tf.Tensor]:
        return tf.raw_ops.IteratorGetNextSync(iterator=self._iterator, **self._specs)

    def _size(self) -> tf.Tensor:
        return tf.raw_ops.LookupTableSizeV2(table_handle=self._pool)

    def _put(self, _: tf.Tensor) -> List[tf.Tensor]:
        """Reads one element, which stays in the pool, and returns it."""
        element = self._read()
        with tf.control_dependencies(element):
            size = self._size()
        stored = self._store(size, tf.raw_ops.OptionalFromValue(components=element))
        with tf.control_dependencies([stored]):
            return [tf.identity(component) for component in element]

    def _swap(self, random: tf.Tensor) -> List[tf.Tensor]:
        """Reads one element, and returns one of the pool, whose place it takes, or that one itself."""
        element = self._read()
        with tf.control_dependencies(element):
            size = self._size()
        packed = tf.raw_ops.OptionalFromValue(components=element)
        place = random % (size + 1)
        drawn = self._find(place, packed)
        # One key and its value, or none where the element itself was drawn.
        count = tf.cast(place < size, tf.int32)
        with tf.control_dependencies([drawn]):
            stored = self._store(tf.fill([count], place), tf.fill([count], packed))
        with tf.control_dependencies([stored]):
            return self._unpacked(drawn)

    def _put_and_swap(self, random: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies(self._put(random)):
            return self._swap(random)

    def _draw_own(self, random: tf.Tensor) -> List[tf.Tensor]:
        """Returns an element of the pool; reads one for it if that need not wait, or if there is none to spare."""
        assert self._step.growth is not None
        has_none_to_spare = self._size() <= self._step.growth.least
        return list(
            tf.cond(
                tf.logical_or(self._has_own(), has_none_to_spare),
                lambda: self._swap(random),
                lambda: self._take_one(random),
            )
        )

    def _put_and_draw_own(self, random: tf.Tensor) -> List[tf.Tensor]:
        def put() -> tf.Tensor:
            with tf.control_dependencies(self._put(random)):
                return tf.constant(True)

        has_room = self._size() < self._step.buffer - 1
        grown = tf.cond(tf.logical_and(self._has_own(), has_room), put, lambda: tf.constant(False))
        with tf.control_dependencies([grown]):
            return self._draw_own(tf.identity(random))

    def _has_own(self) -> tf.Tensor:
        """Whether there is an element in each of the program's queues; False where that cannot be asked."""
        if not all(stream.queues for stream in self._own):
            return tf.constant(False)
        queues = [queue for stream in self._own for queue in stream.queues]
        sizes = [tf.raw_ops.QueueSizeV2(handle=tf.identity(queue)) for queue in queues]
        return tf.reduce_min(tf.stack(sizes)) > 0

    def _take_one(self, random: tf.Tensor) -> List[tf.Tensor]:
        """An element of the pool, which is one smaller afterwards: the last one takes its place."""
        size = self._size()
        place, last = random % size, size - 1
        drawn, moved = (self._find(one, tf.raw_ops.OptionalNone()) for one in (place, last))
        with tf.control_dependencies([drawn, moved]):
            stored = self._store(tf.fill([1], place), tf.fill([1], moved))
        with tf.control_dependencies([stored]):
            removed = tf.raw_ops.LookupTableRemoveV2(table_handle=self._pool, keys=tf.fill([1], last))
        with tf.control_dependencies([removed]):
            return self._unpacked(drawn)

    def _take_out(self, place: tf.Tensor) -> List[tf.Tensor]:
        """The element at *place*, which is in the pool no longer."""
        drawn = self._find(place, tf.raw_ops.OptionalNone())
        with tf.control_dependencies([drawn]):
            removed = tf.raw_ops.LookupTableRemoveV2(table_handle=self._pool, keys=tf.fill([1], place))
        with tf.control_dependencies([removed]):
            return self._unpacked(drawn)

    def _find(self, places: Any, otherwise: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.LookupTableFindV2(table_handle=self._pool, keys=places, default_value=otherwise)

    def _store(self, places: Any, packed: Any) -> tf.Operation:
        return tf.raw_ops.LookupTableInsertV2(table_handle=self._pool, keys=places, values=packed)

    def _unpacked(self, packed: tf.Tensor) -> List[tf.Tensor]:
        return tf.raw_ops.OptionalGetValue(optional=packed, **self._specs)
