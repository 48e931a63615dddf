"""``tf.contrib.data``: early names of what is in ``tf.data`` today, with TF1's signatures.

::

    from queuecompat.contrib import data as contrib_data
    dataset = dataset.apply(contrib_data.map_and_batch(parse, 32, num_parallel_batches=2))

Most names are TensorFlow's own objects, from ``tf.compat.v1.data.experimental``; what TF 2 removed is implemented
here. ``Dataset``, ``Iterator`` and the file datasets were here in TF 1.2 to 1.4. Importing this module adds to
``tf.compat.v1.data.Dataset`` what they had and it does not have: two arguments of ``map``, and methods whose results
are datasets of TF1.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, List
from typing import Optional as Maybe

import numpy as np
import tensorflow as tf

from queuecompat._lazy import absence

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordWriter",
    "TextLineDataset",
    "assert_element_shape",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "read_batch_features",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]

_data, _experimental = tf.compat.v1.data, tf.compat.v1.data.experimental

Dataset = _data.Dataset
FixedLengthRecordDataset = _data.FixedLengthRecordDataset
Iterator = _data.Iterator
TFRecordDataset = _data.TFRecordDataset
TextLineDataset = _data.TextLineDataset

AUTOTUNE = _experimental.AUTOTUNE
Counter = _experimental.Counter
CsvDataset = _experimental.CsvDataset
Optional = _experimental.Optional
RandomDataset = _experimental.RandomDataset
Reducer = _experimental.Reducer
SqlDataset = _experimental.SqlDataset
TFRecordWriter = _experimental.TFRecordWriter
bucket_by_sequence_length = _experimental.bucket_by_sequence_length
choose_from_datasets = _experimental.choose_from_datasets
copy_to_device = _experimental.copy_to_device
dense_to_sparse_batch = _experimental.dense_to_sparse_batch
enumerate_dataset = _experimental.enumerate_dataset
get_next_as_optional = _experimental.get_next_as_optional
get_single_element = _experimental.get_single_element
group_by_reducer = _experimental.group_by_reducer
group_by_window = _experimental.group_by_window
ignore_errors = _experimental.ignore_errors
make_batched_features_dataset = _experimental.make_batched_features_dataset
make_csv_dataset = _experimental.make_csv_dataset
make_saveable_from_iterator = _experimental.make_saveable_from_iterator
map_and_batch = _experimental.map_and_batch
parallel_interleave = _experimental.parallel_interleave
parse_example_dataset = _experimental.parse_example_dataset
prefetch_to_device = _experimental.prefetch_to_device
rejection_resample = _experimental.rejection_resample
sample_from_datasets = _experimental.sample_from_datasets
scan = _experimental.scan
shuffle_and_repeat = _experimental.shuffle_and_repeat
unbatch = _experimental.unbatch
unique = _experimental.unique

# The type of the argument of ``Dataset.apply``.
Transformation = Callable[[tf.data.Dataset], tf.data.Dataset]


def _with_threads(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``Dataset.map``, which also has the arguments of TF 1.2: *num_threads* and *output_buffer_size*.

    The first is *num_parallel_calls*, the second the size of a ``prefetch`` of the results.
    """

    @functools.wraps(function)
    def mapped(
        self: Any, map_func: Any, *args: Any, num_threads: Any = None, output_buffer_size: Any = None, **kwargs: Any
    ) -> Any:
        if num_threads is not None:
            kwargs["num_parallel_calls"] = num_threads
        dataset = function(self, map_func, *args, **kwargs)
        return dataset if output_buffer_size is None else dataset.prefetch(output_buffer_size)

    return mapped


def _of_tf1(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method *function*, whose result also has the methods that make iterators of TF1."""

    @functools.wraps(function)
    def made(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self.apply(lambda dataset: function(dataset, *args, **kwargs))

    return made


Dataset.map = _with_threads(Dataset.map)
Dataset.dense_to_sparse_batch = _of_tf1(Dataset.sparse_batch)
Dataset.group_by_window = _of_tf1(Dataset.group_by_window)
Dataset.ignore_errors = _of_tf1(Dataset.ignore_errors)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """A transformation that checks the shape of every element and makes it static.

    Args:
      expected_shapes: a shape for each component, in the structure of an element; None: any shape.
    Raises:
      ValueError, TypeError: when applied, a shape that is incompatible with the static shape, or a different structure.
      tf.errors.InvalidArgumentError: at run time, an element has a different shape.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/data/python/ops/batching.py``.
    """
    shapes = [tf.TensorShape(shape) for shape in _leaves(expected_shapes)]

    def checked(*element: Any) -> Any:
        components = tf.nest.flatten(element)
        if len(components) != len(shapes):
            # TF1's two errors: a structure is missing, or has a different length.
            kind = TypeError if 1 in (len(components), len(shapes)) else ValueError
            raise kind(f"assert_element_shape: {len(shapes)} shapes for elements of {len(components)} components")
        components = [_ensured(component, shape) for component, shape in zip(components, shapes)]
        packed = tf.nest.pack_sequence_as(element, components)
        return packed if len(packed) > 1 else packed[0]

    return lambda dataset: dataset.map(checked)


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """A transformation: ``dataset.batch(batch_size, drop_remainder=True)``. Differs from TF1: None known."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Transformation:
    """A transformation: ``dataset.padded_batch(..., drop_remainder=True)``. Differs from TF1: None known."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """A transformation that batches the elements in a moving window.

    Args:
      window_size: elements in a batch; elements at the end that do not fill a window are dropped.
      stride: the old name of *window_shift*.
      window_shift: by how many elements the window moves; None: 1.
      window_stride: distance between the elements of a window.
    Raises:
      ValueError: both *stride* and *window_shift* are given.
      tf.errors.InvalidArgumentError: at run time, a number that is not positive.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/data/python/ops/sliding.py``.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("sliding_window_batch: stride is the old name of window_shift; pass only one of them")
    shift = next((given for given in (stride, window_shift) if given is not None), 1)

    def slide(dataset: tf.data.Dataset) -> tf.data.Dataset:
        batched = _batched_spec(dataset)
        specs = tf.nest.flatten(batched)
        variant = tf.raw_ops.SlidingWindowDataset(
            input_dataset=tf.data.experimental.to_variant(dataset),
            window_size=tf.cast(window_size, tf.int64),
            window_shift=tf.cast(shift, tf.int64),
            window_stride=tf.cast(window_stride, tf.int64),
            output_types=[spec.dtype for spec in specs],
            output_shapes=[spec.shape for spec in specs],
        )
        return tf.data.experimental.from_variant(variant, batched)

    # Through apply, so that a tf.compat.v1.data.Dataset stays one.
    return lambda dataset: dataset.apply(slide)


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1) -> Transformation:
    """``parallel_interleave(..., sloppy=True)``. Differs from TF1: None known."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def reduce_dataset(dataset: tf.data.Dataset, reducer: Any) -> Any:
    """Returns the state of *reducer* after all elements of *dataset*: ``finalize_func`` is not applied to it.

    Raises:
      TypeError: *dataset* is not a dataset.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/data/python/ops/get_single_element.py``.
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise TypeError(f"reduce_dataset: dataset must be a tf.data.Dataset, not {dataset!r}")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Any,
    reader: Any = TFRecordDataset,
    reader_args: Maybe[List[Any]] = None,
    randomize_input: bool = True,
    num_epochs: Maybe[int] = None,
    capacity: int = 10000,
) -> Any:
    """Batches of parsed tf.Examples, as tensors: those of ``make_batched_features_dataset``, in a graph.

    Args:
      file_pattern: a pattern or a list of patterns.
      batch_size: examples in a batch; the last batch may be smaller.
      features: dict from each key to a ``tf.io.FixedLenFeature`` or the like.
      reader: a dataset class that reads a file.
      reader_args: further arguments of *reader*.
      randomize_input: whether to shuffle files and examples.
      num_epochs: how often each file is read; None: forever.
      capacity: size of the shuffle buffer, in examples.
    Returns:
      A dict of tensors and SparseTensors.
    Raises:
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: The keys of the dict are in a different order.
    Source: TF 1.15.5 ``contrib/data/python/ops/readers.py``.
    """
    dataset = make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    batch = _data.make_one_shot_iterator(dataset).get_next()
    return {key: batch[key] for key in sorted(batch)}


def _leaves(shapes: Any) -> List[Any]:
    """Returns the leaves of a structure of shapes as tf.data sees it: tuples and dicts are structure, a list is a
    shape."""
    if isinstance(shapes, dict):
        return [leaf for key in sorted(shapes) for leaf in _leaves(shapes[key])]
    if isinstance(shapes, tuple):
        return [leaf for one in shapes for leaf in _leaves(one)]
    return [shapes]


def _ensured(component: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    # ensure_shape would refuse a shape of unknown rank, with which there is nothing to check.
    return component if shape.rank is None else tf.ensure_shape(component, shape)


def _batched_spec(dataset: tf.data.Dataset) -> Any:
    return tf.nest.map_structure(
        lambda spec: tf.TensorSpec(tf.TensorShape([None]).concatenate(spec.shape), spec.dtype), dataset.element_spec
    )


def __getattr__(name: str) -> Any:
    raise absence(f"tf.contrib.data.{name}", "TensorFlow 1.15 had no such name")


def __dir__() -> List[str]:
    return __all__
