"""A shuffle buffer from which elements are drawn before it is full, and which grows meanwhile.

It is three datasets, one after the other, which share an iterator over the input and a table (the *pool*):

1. *fill*: the first elements go into the pool, and none comes out.
2. *grow*: each draw takes one element of the input, and returns either an element of the pool, in whose place the new
   one is stored, or the new one itself. Some draws read one additional element, which stays in the pool.
3. *full*: the content of the pool, and then the rest of the input, through a plain ``Dataset.shuffle``.

Rule 1: it has no thread of its own, and waits only for the input: elements are read only when they are asked for.
Rule 2: it is fixed which draws read an additional element, so that a seed always means the same order.
Rule 3: an element is either in the pool or in the shuffle buffer, or computed ahead; together these are at most
        ``buffer`` elements.
Rule 4: an error of the input is raised by the draw that met it. The next draw goes on, and no other element is lost.

If the input comes from the program's own queues or Python functions, it is not known whether and when more elements
will come. So such a pool never becomes *full*: it reads an additional element while any is ready, and returns what it
holds while there is none, down to the number that it keeps. TF1's queue did the same. Those elements are ready that are
in the queues, or that a thread has computed ahead (``Growth.ahead``), an exception to Rule 1.

Everything is made when an iterator of the dataset begins, and belongs to that iterator alone. The pool is an anonymous
table from the numbers 0, 1, ... to elements of any types and shapes, each packed into an optional.
Measured on 2 processors, TF 2.12 and 2.21: *grow* takes 15 to 50 us of CPU per element more than a plain shuffle,
*full* 2 to 14 us. A ``py_func`` that does nothing takes 60 us and more.
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

# One draw in this many reads two elements. The consumer of a slow input waits a quarter longer while the pool grows,
# but never longer than it would have waited for a pool that is filled first.
DRAWS_FOR_ONE_MORE = 4
# What is counted where elements are computed ahead.
_COMPUTED, _TAKEN = 0, 1
_INT64 = tf.TensorSpec([], tf.int64)

no_autograph = tf.autograph.experimental.do_not_convert


def growing(elements: tf.data.Dataset, step: ir.Shuffle, seed: Any, own: Sequence[Stream] = ()) -> tf.data.Dataset:
    """*elements*, shuffled according to *step*, which has a growth.

    Args:
      seed: determines the draws: a number, or an int64 scalar; None: they are different each time.
      own: the streams of the program's own queues from which the elements come (``step.growth.own``).
    """
    # Once *elements* have ended they are not asked again, because a Python function could go on after its
    # StopIteration.
    elements = without_tfdata_optimizer(elements.concatenate(elements.take(0)))

    @no_autograph
    def begun(_: tf.Tensor) -> tf.data.Dataset:
        return _Growing(elements, step, seed, own).dataset()

    return tf.data.Dataset.range(1).flat_map(begun)


class _Growing:
    """One iterator's pool, and the datasets that use it. Must be made inside the function that begins the iterator."""

    def __init__(self, elements: tf.data.Dataset, step: ir.Shuffle, seed: Any, own: Sequence[Stream]) -> None:
        self._step = step
        self._seed = seed
        self._own = own
        assert step.growth is not None
        self._least = step.growth.least
        # At most half of the room to grow is for elements that are computed ahead.
        self._ahead = min(step.growth.ahead, max(1, (step.buffer - 1 - self._least) // 2))
        self._is_unsteady = bool(own) or self._ahead > 0
        self._specs = {
            "output_types": [spec.dtype for spec in step.components],
            "output_shapes": [spec.shape for spec in step.components],
        }
        if self._ahead:
            self._numbers = tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.int64, value_dtype=tf.int64)
            elements = self._computed_ahead(elements)
        self._iterator = tf.raw_ops.AnonymousIteratorV3(**self._specs)
        tf.raw_ops.MakeIterator(dataset=tf.data.experimental.to_variant(elements), iterator=self._iterator)
        self._pool = tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.int64, value_dtype=tf.variant)

    def dataset(self) -> tf.data.Dataset:
        return self._fill().concatenate(self._grow()).concatenate(self._full())

    def _fill(self) -> tf.data.Dataset:
        filled = self._calls(self._put, tf.data.Dataset.range(sys.maxsize)).take(self._least)
        return filled.filter(no_autograph(lambda *_: False))

    def _grow(self) -> tf.data.Dataset:
        assert self._step.growth is not None
        kinds = [self._swap, self._put_and_swap, *([self._take_one] if self._is_unsteady else [])]
        seeds = [None if self._seed is None else self._seed + number for number in range(len(kinds))]
        draws = [self._calls(kind, tf.data.Dataset.random(seed)) for kind, seed in zip(kinds, seeds)]
        if self._is_unsteady:
            chosen = mapped(tf.data.Dataset.range(sys.maxsize), traced(self._choice, [_INT64]), [_INT64], inline=True)
            variant = tf.data.experimental.to_variant(chosen)
            return tf.data.Dataset.choose_from_datasets(draws, tf.data.experimental.from_variant(variant, _INT64))
        steady = tf.data.Dataset.from_tensors(_int64(0)).repeat(self._step.growth.steady)
        one_more = tf.constant([0] * (DRAWS_FOR_ONE_MORE - 1) + [1], tf.int64)
        grows = tf.data.Dataset.from_tensor_slices(one_more).repeat(self._step.buffer - 1 - self._least)
        return tf.data.Dataset.choose_from_datasets(draws, steady.concatenate(grows))

    def _full(self) -> tf.data.Dataset:
        numbers = tf.data.Dataset.range(1).flat_map(no_autograph(lambda _: tf.data.Dataset.range(self._size())))
        rest = self._calls(lambda _: self._read(), tf.data.Dataset.range(sys.maxsize))
        together = self._calls(self._take_out, numbers).concatenate(rest)
        return together.shuffle(self._step.buffer, seed=self._seed)

    def _calls(self, function: Callable[[tf.Tensor], Sequence[tf.Tensor]], numbers: Any) -> tf.data.Dataset:
        """The results of *function* for each of *numbers*, until the input ends."""
        called = traced(function, [_INT64])
        return mapped(numbers, called, self._step.components, ends=True, inline=True)

    def _computed_ahead(self, elements: tf.data.Dataset) -> tf.data.Dataset:
        """*elements*, computed ahead by a thread, and counted."""

        def counted(*components: tf.Tensor) -> List[tf.Tensor]:
            with tf.control_dependencies([self._count(_COMPUTED, after=components)]):
                return [tf.identity(component) for component in components]

        components = self._step.components
        made = mapped(elements, traced(counted, list(components)), components, inline=True)
        return made.prefetch(self._ahead)

    def _count(self, what: int, after: Sequence[tf.Tensor]) -> tf.Operation:
        """Counts one element more, once the tensors *after* are there."""
        with tf.control_dependencies(after):
            count = self._numbered(what) + 1
        return tf.raw_ops.LookupTableInsertV2(table_handle=self._numbers, keys=_int64(what), values=count)

    def _numbered(self, what: int) -> tf.Tensor:
        return tf.raw_ops.LookupTableFindV2(table_handle=self._numbers, keys=_int64(what), default_value=_int64(0))

    def _read(self) -> List[tf.Tensor]:
        element = tf.raw_ops.IteratorGetNextSync(iterator=self._iterator, **self._specs)
        if not self._ahead:
            return list(element)
        with tf.control_dependencies([self._count(_TAKEN, after=element)]):
            return [tf.identity(component) for component in element]

    def _size(self) -> tf.Tensor:
        return tf.raw_ops.LookupTableSizeV2(table_handle=self._pool)

    def _put(self, _: tf.Tensor) -> List[tf.Tensor]:
        """Reads one element, stores it in the pool, and returns it."""
        element = self._read()
        with tf.control_dependencies(element):
            size = self._size()
        stored = self._store(size, tf.raw_ops.OptionalFromValue(components=element))
        with tf.control_dependencies([stored]):
            return [tf.identity(component) for component in element]

    def _swap(self, random: tf.Tensor) -> List[tf.Tensor]:
        """Reads one element, and returns one of the pool, in whose place it is stored, or the new one itself."""
        element = self._read()
        with tf.control_dependencies(element):
            size = self._size()
        packed = tf.raw_ops.OptionalFromValue(components=element)
        place = random % (size + 1)
        drawn = self._find(place, packed)
        # One key and its value, or none if the new element itself was drawn.
        count = tf.cast(place < size, tf.int32)
        with tf.control_dependencies([drawn]):
            stored = self._store(tf.fill([count], place), tf.fill([count], packed))
        with tf.control_dependencies([stored]):
            return self._unpacked(drawn)

    def _put_and_swap(self, random: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies(self._put(random)):
            return self._swap(random)

    def _choice(self, _: tf.Tensor) -> List[tf.Tensor]:
        """The number of a draw that need not wait, or that waits where TF1 waited."""
        size, ready = self._size(), self._count_ready()
        grows = tf.logical_and(ready > 1, size < self._step.buffer - 1 - self._ahead)
        swaps = tf.logical_or(ready > 0, size <= self._least)
        return [tf.where(grows, _int64(1), tf.where(swaps, _int64(0), _int64(2)))]

    def _count_ready(self) -> tf.Tensor:
        """How many elements of the input are ready, an int64; 0 if that is not known."""
        if self._ahead:
            return self._numbered(_COMPUTED) - self._numbered(_TAKEN)
        if not all(stream.queues for stream in self._own):
            return _int64(0)
        queues = [queue for stream in self._own for queue in stream.queues]
        sizes = [tf.raw_ops.QueueSizeV2(handle=tf.identity(queue)) for queue in queues]
        return tf.cast(tf.reduce_min(tf.stack(sizes)), tf.int64)

    def _take_one(self, random: tf.Tensor) -> List[tf.Tensor]:
        """Removes and returns a random element of the pool; the pool's last element takes its place."""
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
        """Removes and returns the element at *place*."""
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


def _int64(number: int) -> tf.Tensor:
    return tf.constant(number, tf.int64)
