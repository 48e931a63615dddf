"""``tf.contrib.staging``: a buffer for tensors between two steps, on the device that will use them.

::

    area = staging.StagingArea([tf.float32, tf.int64], capacity=2)
    put = area.put(train.batch([image, label], 128))
    images, labels = area.get()
    sess.run(put)                       # once, to warm up
    sess.run([train_op, put])           # each step uses one batch and fetches the next

As in TF1, a put or a get that waits occupies one of the session's threads (``inter_op_parallelism_threads``, by
default one per core). If as many steps wait at the same time as there are threads, no other op of the session runs, and
they wait forever.

A put is a consumer of a pipeline: the elements that it takes reach no other consumer. TF1's
``MapStagingArea`` was not public, and is not available.
"""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager, Dict, List, Optional, Sequence, Union

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_use
from queuecompat._session.entry import pipelines_of

__all__ = ["StagingArea"]


class StagingArea:
    """A buffer of elements, each of one or several tensors. The order of the elements is not determined.

    Args:
      dtypes: a dtype for each tensor of an element.
      shapes: a shape for each tensor, or None. Shapes are checked when a put is built, and are the static
        shapes of the tensors that ``get`` returns.
      names: a name for each tensor, or None; with names, elements are dicts with these keys.
      shared_name: areas with this name share their elements in a session; None: not shared.
      capacity: maximum number of elements; a put waits for room. 0: no limit.
      memory_limit: maximum number of bytes of all elements; a put waits for room, and fails if it is larger than
        this. 0: no limit.
    Raises:
      ValueError: *shapes* or *names* have a different length than *dtypes*; *shared_name* is not a string.
    Differs from TF1: ``put`` accepts arrays and Python values; TF1 raised TypeError. It works in eager mode, where
      each call takes effect immediately.
    Source: TF 1.15.5 ``python/ops/data_flow_ops.py``.
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        shared_name: Optional[str] = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError(f"StagingArea: shared_name must be a string, not {shared_name!r}")
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f"StagingArea: {len(given)} {what} for {len(dtypes)} dtypes; pass one for each")
        self._dtypes = dtypes
        self._shapes = [tf.TensorShape(shape) for shape in (shapes if shapes is not None else [None] * len(dtypes))]
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._name = shared_name or _unused(type(self).__name__)
        # The elements are on the device of this call's device scope: every op is colocated with this one.
        self._root: Optional[tf.Operation] = None
        if not tf.executing_eagerly():
            with tf.name_scope(f"{self._name}_root"):
                self._root = tf.no_op()

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtypes(self) -> Sequence[Any]:
        return self._dtypes

    @property
    def shapes(self) -> List[tf.TensorShape]:
        return self._shapes

    @property
    def names(self) -> Optional[Sequence[str]]:
        return self._names

    @property
    def capacity(self) -> int:
        """The maximum number of elements; 0 is no limit."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """The maximum size of all elements in bytes; 0 is no limit."""
        return self._memory_limit

    def put(self, values: Any, name: Optional[str] = None) -> Optional[tf.Operation]:
        """An op that stores one element; it waits while the area is full.

        Args:
          values: a tensor, a list or tuple of tensors, or with *names* a dict of them.
          name: for the op.
        Raises:
          ValueError: a dict without *names*, or no dict with them; wrong keys; more values than dtypes; a different
            dtype or shape.
          QueueCompatRuntimeError: QC304, the values come from a pipeline that has started.
          tf.errors.ResourceExhaustedError: at run time, the element alone exceeds *memory_limit*.
        """
        with tf.compat.v1.name_scope(name, f"{self._name}_put", _listed(values)) as scope:
            tensors = self._checked(values)
            with self._beside_the_root():
                # A name that ends in a slash, as a scope does, is the exact name of the op; eager ops have no scope.
                op = tf.raw_ops.Stage(values=tensors, name=scope or None, **self._place())
            if op is not None:
                # The program takes a pipeline's elements by running this op: it is a consumer of the pipeline.
                note_external_use(pipelines_of(op.graph), [op])
            return op

    def get(self, name: Optional[str] = None) -> Any:
        """Removes and returns one element; waits while there is none.

        Returns:
          A list of tensors, also for a single one; with *names* a dict. They are on the device of the current scope.
        """
        with self._beside_the_root():
            tensors = tf.raw_ops.Unstage(dtypes=self._dtypes, name=name or f"{self._name}_get", **self._place())
        return self._as_element(tensors)

    def peek(self, index: Any, name: Optional[str] = None) -> Any:
        """The element at *index*, which is not removed; waits until it exists.

        Args:
          index: scalar int32.
          name: for the op.
        Returns:
          As ``get``.
        """
        with self._beside_the_root():
            tensors = tf.raw_ops.StagePeek(
                index=index, dtypes=self._dtypes, name=name or f"{self._name}_peek", **self._place()
            )
        return self._as_element(tensors)

    def size(self, name: Optional[str] = None) -> tf.Tensor:
        """The number of elements: scalar int32."""
        return tf.raw_ops.StageSize(dtypes=self._dtypes, name=name or f"{self._name}_size", **self._place())

    def clear(self, name: Optional[str] = None) -> Optional[tf.Operation]:
        """An op that removes all elements."""
        return tf.raw_ops.StageClear(dtypes=self._dtypes, name=name or f"{self._name}_clear", **self._place())

    def _place(self) -> Dict[str, Any]:
        """The attributes by which an op uses this area."""
        return {
            "shared_name": self._name,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
            "container": "",
        }

    def _beside_the_root(self) -> ContextManager[Any]:
        return contextlib.nullcontext() if self._root is None else tf.compat.v1.colocate_with(self._root)

    def _checked(self, values: Any) -> List[tf.Tensor]:
        """Returns *values* as tensors, in the order of the dtypes."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("StagingArea: a dict was put, but the area was made without names")
            if not set(values) <= set(self._names):
                raise ValueError(f"StagingArea: keys {sorted(values)} were put; the names are {sorted(self._names)}")
            numbered = [(number, values[key]) for number, key in enumerate(self._names) if key in values]
        elif self._names:
            raise ValueError(f"StagingArea: the area has names; put a dict with the keys {sorted(self._names)}")
        else:
            numbered = list(enumerate(_listed(values)))
        if len(numbered) > len(self._dtypes):
            raise ValueError(f"StagingArea: {len(numbered)} values were put; an element has {len(self._dtypes)}")
        return [self._component(number, value) for number, value in numbered]

    def _component(self, number: int, value: Any) -> tf.Tensor:
        dtype, shape = tf.as_dtype(self._dtypes[number]), self._shapes[number]
        if isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype != dtype:
            raise ValueError(f"StagingArea: value {number} is {value.dtype.name}, but the area expects {dtype.name}")
        tensor = tf.convert_to_tensor(value, dtype, name=f"component_{number}")
        tensor.shape.assert_is_compatible_with(shape)
        return tensor

    def _as_element(self, tensors: Sequence[tf.Tensor]) -> Union[List[tf.Tensor], Dict[str, tf.Tensor]]:
        if self._root is not None and tf.no_op().device != self._root.device:
            tensors = [tf.identity(tensor) for tensor in tensors]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return dict(zip(self._names, tensors)) if self._names else list(tensors)


def _listed(values: Any) -> List[Any]:
    if isinstance(values, dict):
        return list(values.values())
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _unused(name: str) -> str:
    return tf.compat.v1.get_default_graph().unique_name(name)
