"""A cache of the elements made from files: if a file's elements are stored they are fetched, otherwise made and stored.

Elements are stored and fetched in blocks (``_plan.cache_store``), one call of Python each, which tf.data splits into
elements. Components with a fixed shape are stacked; in other components, each tensor is serialised into a string of its
own.
"""

from __future__ import annotations

import os
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._backends.tfdata.blocks import Block, of_all_blocks
from queuecompat._backends.tfdata.functions import traced
from queuecompat._backends.tfdata.mapping import mapped, unbatched
from queuecompat._backends.tfdata.numbered import beside_numbers, first_of_file
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import ir
from queuecompat._plan.cache_files import Folder
from queuecompat._plan.cache_store import Memory, Store, folder_for, store
from queuecompat._plan.record_numbers import NUMBER
from queuecompat.records.blocks import NUMBERS_BYTES

__all__ = ["cached"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant

# From a dataset of the cache's inputs to the dataset of the elements made from them.
Compute = Callable[[tf.data.Dataset], tf.data.Dataset]

_NUMBER = tf.TensorSpec([], tf.int64)


def cached(
    dataset: tf.data.Dataset, step: ir.Cache, given: Sequence[tf.TensorSpec], compute: Compute
) -> tf.data.Dataset:
    """The elements that *step* outputs for the elements of *dataset*, whose specs are *given*; *compute* makes them."""
    cache = _Cache(step, compute, store(step.key, step.where, step.most_bytes, lambda: _new_store(step)))
    if step.beside:
        dataset = from_variant(to_variant(dataset.batch(step.rows)), tuple(map(ir.rows_spec, given)))
        given = tuple(map(ir.rows_spec, given))
    function = traced(cache.of_group if step.beside else cache.of_file, given)
    numbers = (NUMBER,) if step.numbered else ()
    beside = tuple(map(_row_of, given[: len(given) - len(numbers)])) if step.beside else ()
    coded = (*beside, *cache.coded, *numbers)
    elements = of_all_blocks(dataset, function, coded, _open_blocks(step))
    if not cache.has_strings_of_tensors:
        return from_variant(to_variant(elements), tuple(step.components))
    begin, end = len(beside), len(coded) - len(numbers)

    def decoded(*parts: tf.Tensor) -> List[tf.Tensor]:
        return [*map(tf.identity, parts[:begin]), *cache.decoded(parts[begin:end]), *map(tf.identity, parts[end:])]

    return mapped(elements, traced(decoded, coded), step.components, inline=True)


def _new_store(step: ir.Cache) -> Store:
    path_of = _path_of_block if _open_blocks(step) else os.fsdecode
    if step.where == "ram":
        return Store(Memory(), step.most_bytes, _stat, path_of)
    folder = Folder(folder_for(step.where), step.key)
    return Store(folder, step.most_bytes, _stat, path_of, folder.used)


def _open_blocks(step: ir.Cache) -> int:
    """How many blocks of files are read at once; 0: the inputs are file names."""
    return getattr(step.inner[0], "open_blocks", 0)


def _path_of_block(block: bytes) -> str:
    return os.fsdecode(block[NUMBERS_BYTES:])


def _stat(path: str) -> Tuple[int, int]:
    if "://" not in path:
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns
    try:
        found = tf.io.gfile.stat(path)
    except tf.errors.OpError as problem:
        raise OSError(str(problem)) from None
    return found.length, found.mtime_nsec


class _Cache:
    """One cache, as used by the functions of its dataset.

    Attributes:
      coded: the specs of the made components in the form in which they are stored.
      has_strings_of_tensors: whether any component is stored as a serialised tensor.
    """

    def __init__(self, step: ir.Cache, compute: Compute, store: Store) -> None:
        self._step = step
        self._compute = compute
        self._store = store
        outputs = step.components[:-1] if step.numbered else step.components
        self._specs = tuple(outputs[len(outputs) - len(step.inner[-1].components) :])
        self.coded = tuple(tf.TensorSpec([], tf.string) if _is_coded(spec) else spec for spec in self._specs)
        self.has_strings_of_tensors = any(map(_is_coded, self._specs))
        self._block = tuple(map(ir.rows_spec, self.coded))

    def of_file(self, *given: tf.Tensor) -> List[tf.Tensor]:
        """The dataset of the elements of one file."""
        identities, counts = self._found(tf.expand_dims(given[self._step.file], 0))
        count = counts[0]
        numbers = tf.data.Dataset.range(tf.maximum(count, 0))
        fetched = mapped(numbers, traced(lambda number: self._fetched(identities, number), [_NUMBER]), self._block)
        beside = given[1:] if self._step.numbered else ()  # the file's number; a block contains its own
        fresh = self._blocks(
            tf.data.Dataset.from_tensors(given[:1] if beside else given).take(tf.where(count < 0, _int(1), _int(0)))
        )
        last = _of_specs(tf.data.Dataset.from_tensors(tuple(map(_nothing_of, self.coded))), self._block)
        numbered = _flat(fresh.concatenate(last).enumerate(), (_NUMBER, *self._block))
        numbered = numbered.take(tf.where(count < 0, _int(-1), _int(0)))

        def keep(number: tf.Tensor, *block: tf.Tensor) -> List[tf.Tensor]:
            return self._after(numpy_function(self._keep, [identities, number, *block], tf.int64), block)

        made = mapped(numbered, traced(keep, (_NUMBER, *self._block)), self._block)
        elements = unbatched(fetched.concatenate(made), self.coded)
        if self._step.numbered:
            number = first_of_file(beside[0]) if beside else Block.of(given[self._step.file]).number
            elements = beside_numbers(elements, number, (*self.coded, NUMBER))
        return [to_variant(elements)]

    def of_group(self, *given: tf.Tensor) -> List[tf.Tensor]:
        """The dataset of the elements of several files, one per file, each after what came in with its name.

        If the files have numbers, these are the last component of both input and output.
        """
        identities, counts = self._found(given[self._step.file])
        is_cached = counts >= 0
        fetched_ids, made_ids = (tf.boolean_mask(identities, mask) for mask in (is_cached, tf.logical_not(is_cached)))
        one = tf.data.Dataset.range(1).take(tf.where(tf.reduce_any(is_cached), _int(1), _int(0)))
        fetched = mapped(one, traced(lambda number: self._fetched(fetched_ids, number), [_NUMBER]), self._block)
        rest = tuple(tf.boolean_mask(part, tf.logical_not(is_cached)) for part in given)

        def keep(*block: tf.Tensor) -> List[tf.Tensor]:
            return self._after(numpy_function(self._keep_each, [made_ids, *block], tf.int64), block)

        fresh = self._blocks(tf.data.Dataset.from_tensor_slices(rest))
        made = mapped(fresh, traced(keep, self._block), self._block)
        which = tf.data.Dataset.from_tensor_slices(tf.where(is_cached, _int(0), _int(1)))
        chosen = tf.raw_ops.DirectedInterleaveDataset(
            selector_input_dataset=to_variant(which),
            data_input_datasets=[to_variant(unbatched(one, self.coded)) for one in (fetched, made)],
            output_types=[spec.dtype for spec in self.coded],
            output_shapes=[spec.shape for spec in self.coded],
        )
        end = len(given) - 1 if self._step.numbered else len(given)
        names, numbers = given[:end], given[end:]
        parts = [tf.data.Dataset.from_tensor_slices(one) for one in (names, numbers) if one]
        parts.insert(1, from_variant(chosen, self.coded))
        specs = (*map(_row_of, names), *self.coded, *map(_row_of, numbers))
        return [to_variant(_flat(tf.data.Dataset.zip(tuple(parts)), specs))]

    def decoded(self, parts: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        """The made components of an element, from the form in which they are stored."""
        return [_decoded(spec, part) for spec, part in zip(self._specs, parts)]

    def _blocks(self, given: tf.data.Dataset) -> tf.data.Dataset:
        """Blocks of what is made of *given*, in the form in which it is stored."""
        made = self._compute(given)
        if self._step.makes_batches:
            return _of_specs(made, self._block)
        if self.has_strings_of_tensors:
            made = mapped(made, traced(self._encoded, self._specs), self.coded, inline=True)
        return _of_specs(made.batch(self._step.rows), self._block)

    def _encoded(self, *parts: tf.Tensor) -> List[tf.Tensor]:
        pairs = zip(self._specs, parts)
        return [tf.io.serialize_tensor(one) if _is_coded(spec) else tf.identity(one) for spec, one in pairs]

    def _found(self, names: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        def found(names: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
            identities, counts = self._store.look_up([self._known_by(bytes(name)) for name in names.tolist()])
            return np.array(identities, object), np.array(counts, np.int64)

        identities, counts = numpy_function(found, [names], [tf.string, tf.int64])
        return tf.ensure_shape(identities, [None]), tf.ensure_shape(counts, [None])

    def _known_by(self, name: bytes) -> bytes:
        # The number of a block's first record differs from epoch to epoch although its records are the same, so it is
        # zeroed.
        size = NUMBERS_BYTES
        return name[: size - 8] + bytes(8) + name[size:] if _open_blocks(self._step) else name

    def _fetched(self, identities: tf.Tensor, number: tf.Tensor) -> List[tf.Tensor]:
        def fetch(identities: np.ndarray, number: np.int64) -> List[np.ndarray]:
            return self._store.block(identities.tolist(), int(number))

        fetched = numpy_function(fetch, [identities, number], [spec.dtype for spec in self.coded])
        return [tf.ensure_shape(one, spec.shape) for one, spec in zip(fetched, self._block)]

    def _keep(self, identities: np.ndarray, number: np.int64, *block: np.ndarray) -> np.int64:
        self._store.keep(identities[0], int(number), list(block))
        return np.int64(0)

    def _keep_each(self, identities: np.ndarray, *block: np.ndarray) -> np.int64:
        for row, identity in enumerate(identities.tolist()):
            self._store.keep(identity, 0, [one[row : row + 1] for one in block])
            self._store.keep(identity, 1, [one[:0] for one in block])
        return np.int64(0)

    def _after(self, done: Any, block: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        with tf.control_dependencies([done]):
            return [tf.identity(one) for one in block]


def _is_coded(spec: tf.TensorSpec) -> bool:
    return not spec.shape.is_fully_defined()


def _decoded(spec: tf.TensorSpec, part: tf.Tensor) -> tf.Tensor:
    if not _is_coded(spec):
        return tf.identity(part)
    return tf.ensure_shape(tf.io.parse_tensor(part, spec.dtype), spec.shape)


def _row_of(rows: Any) -> tf.TensorSpec:
    return tf.TensorSpec(rows.shape[1:], rows.dtype)


def _nothing_of(spec: tf.TensorSpec) -> tf.Tensor:
    return tf.zeros([0, *spec.shape], spec.dtype)


def _int(number: int) -> tf.Tensor:
    return tf.constant(number, tf.int64)


def _of_specs(dataset: tf.data.Dataset, specs: Sequence[tf.TensorSpec]) -> tf.data.Dataset:
    return from_variant(to_variant(dataset), tuple(specs))


# Regroups the same tensors into one flat tuple, without a function call.
_flat = _of_specs
