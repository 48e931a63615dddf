"""Replaces the errors that an iterator of eager mode raises by ones that name the cause, the op and the record.

tf.data itself raises the errors of a dataset, so they are replaced in the iterator that the program loops over, of the
dataset or of one derived from it. This costs nothing per element. A loop that TensorFlow runs, as in a ``tf.function``
or in Keras's ``fit``, raises TensorFlow's own error.

At the end of the data, an error is also raised if a TFRecord file is truncated within the header of a record, which
TensorFlow takes for the end of the file. The files are checked here and not in the dataset, which may run in a process
without Python.
"""

from __future__ import annotations

import functools
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Sequence

import tensorflow as tf

from queuecompat._analysis.matched_files import unmatched
from queuecompat._analysis.origins import users_op
from queuecompat._analysis.slicing import Slice
from queuecompat._backends import text
from queuecompat._backends.tfdata.ends import problem_of_end
from queuecompat._eager import stalls
from queuecompat._eager.derived import subclass
from queuecompat._eager.stalls import what_is_missing
from queuecompat._plan import ir
from queuecompat._session.errors import locating
from queuecompat._session.steps import failures
from queuecompat.errors import QueueCompatRuntimeError, at_line, error, line_of

__all__ = ["DatasetExplainer", "Explainer", "explained_as", "explaining"]


class Explainer(Protocol):
    """Explains the errors of one dataset, and of datasets derived from it.

    Attributes:
      plan: the plan of its elements as captured; None if they come from a session.
    """

    plan: Optional[ir.Plan]

    def explained(self, error: tf.errors.OpError, is_derived: bool) -> tf.errors.OpError:
        """Returns the error to raise in place of *error*: itself, if it may come from a step that the program added.

        Args:
          is_derived: whether the program has derived a dataset, and so may have added steps.
        """

    def at_the_end(self) -> Optional[tf.errors.OpError]:
        """Returns the error of a file that is truncated within the header of a record; None if there is none."""

    def watch(self, iterator: Any) -> None:
        """Watches calls of *iterator*: if one does not return, a message says what this dataset may be waiting for."""

    def check_saving(self) -> None:
        """Raises QC362 if workers of a tf.data service hold an iterator's position, so that it cannot be saved."""


class DatasetExplainer(Explainer):
    """The explainer of a compiled dataset.

    Args:
      plan: the plan of its elements as captured, in its preview form.
      graph: the graph of the input function's ops.
      bind: maps a tensor that a slice captured to its eager twin.
      lowered: the plans that the dataset was made from, after all passes; they show what it may wait for forever.
    """

    plan: ir.Plan

    def __init__(
        self, plan: ir.Plan, graph: tf.Graph, bind: Callable[[tf.Tensor], Any], lowered: Sequence[ir.Plan] = ()
    ) -> None:
        self.plan = plan
        self._is_remote = any(one.is_remote for one in lowered)
        self._missing = [words for one in lowered if text.may_stall(one) for words in text.sources(one)]
        self._missing += text.chosen(plan)
        self._graph = graph
        self._bind = bind
        self._functions: Dict[int, Any] = {}
        self._places: Dict[str, Optional[str]] = {}
        self._unseen: Optional[List[bytes]] = None  # files whose ends are not checked yet, or are truncated

    def explained(self, error: tf.errors.OpError, is_derived: bool) -> tf.errors.OpError:
        cause = failures.cause(error)
        if failures.is_of_ours(error):
            return failures.explained(error, cause)
        place = self._place(cause)
        op = self._raised_by(error)
        patterns = unmatched(cause, op)
        if place is None and is_derived and not patterns:
            return error  # it may be that of a step that the program has added
        lines = [cause]
        lines += [] if op is None else [f"  op:        '{op.name}', made at {line_of(op)}"]
        lines += patterns
        lines.append(f"  pipeline:  '{self.plan.name}', made at {self.plan.made_at}")
        lines += [] if place is None else [f"  record:    {place}"]
        return failures.explained(error, "\n".join(lines))

    def at_the_end(self) -> Optional[tf.errors.OpError]:
        """Returns the error of a file that is truncated within the header of a record; None if there is none.

        The end of an intact file is checked only once. When ``locating.SECONDS`` have passed, the remaining files are
        left to the next call.
        """
        if self.plan.options.on_error == "skip":
            return None  # the reader checks that itself and lists the file
        deadline = time.monotonic() + locating.SECONDS
        if self._unseen is None:
            with tf.init_scope():
                names = locating.files_read(self.plan.steps, ir.FileLayout("TFRecord"), self._run)
            self._unseen = names[::-1]
        while self._unseen and time.monotonic() < deadline:
            problem = problem_of_end(self._unseen[-1])
            if problem:
                return failures.explained(tf.errors.DataLossError(None, None, problem), problem)
            self._unseen.pop()
        return None

    def watch(self, iterator: Any) -> None:
        if self._missing:
            waits_for = "; ".join(dict.fromkeys(self._missing))
            words = functools.partial(what_is_missing, self.plan.name, self.plan.made_at, waits_for)
            stalls.WATCH.watch(iterator, _explained(tf.no_op), words)

    def check_saving(self) -> None:
        if self._is_remote:
            raise at_line(error(QueueCompatRuntimeError, "QC362", stage=self.plan.name), self.plan.made_at)

    def _place(self, cause: str) -> Optional[str]:
        if cause not in self._places:
            with tf.init_scope():
                self._places[cause] = locating.place_of(self.plan.steps, cause, self._run)
        return self._places[cause]

    def _run(self, body: Slice, values: Sequence[Any]) -> Sequence[Any]:
        if id(body) not in self._functions:
            self._functions[id(body)] = body, body.bound(self._bind).function()
        _, function = self._functions[id(body)]
        given = [tf.constant(value, source.dtype) for value, source in zip(values, body.sources)]
        return [one if one.dtype in (tf.resource, tf.variant) else one.numpy() for one in function(*given)]

    def _raised_by(self, error: tf.errors.OpError) -> Optional[tf.Operation]:
        """Returns the user's op that raised *error*, itself or through an op of its form for whole batches."""
        return users_op(self._graph, failures.chain(error))


class _Explained(NamedTuple):
    """The state that a dataset and its iterators have for explanations.

    Attributes:
      is_derived: whether the program has added steps.
      ends_with_it: whether the end of the dataset is also the end of the original dataset, so that its files were read
        to the end.
    """

    explainer: Explainer
    is_derived: bool = False
    ends_with_it: bool = True


def explaining(dataset: tf.data.Dataset, explainer: Explainer) -> tf.data.Dataset:
    """Returns *dataset*, whose iterators then raise the errors that *explainer* returns."""
    return _explaining(dataset, _Explained(explainer))


def explained_as(original: tf.data.Dataset, derived: tf.data.Dataset, ends_with_it: bool = False) -> tf.data.Dataset:
    """Returns *derived*, which was made from *original*; its errors are explained if those of *original* are.

    Args:
      ends_with_it: whether *derived* cannot end before *original* does.
    """
    known = getattr(original, "_queuecompat_explained", None)
    if known is None:
        return derived
    return _explaining(derived, _Explained(known.explainer, True, known.ends_with_it and ends_with_it))


def _explaining(dataset: tf.data.Dataset, known: _Explained) -> tf.data.Dataset:
    if isinstance(dataset, tf.data.Dataset) and not hasattr(dataset, "_queuecompat_explained"):
        kind: Any = type(dataset)
        dataset.__class__ = _explaining_datasets(kind)
        dataset._queuecompat_explained = known
    return dataset


@functools.cache
def _explaining_datasets(kind: Any) -> type:
    def begin(self: Any) -> Any:
        iterator = kind.__iter__(self)
        if tf.executing_eagerly():
            its_kind: Any = type(iterator)
            iterator.__class__ = _explaining_iterators(its_kind)
            iterator._queuecompat_explained = self._queuecompat_explained
            self._queuecompat_explained.explainer.watch(iterator)
        return iterator

    return subclass(kind, lambda result, of, ends_with_it: explained_as(of, result, ends_with_it), __iter__=begin)


@functools.cache
def _explaining_iterators(kind: Any) -> type:
    members: Dict[str, Any] = {
        name: _explained(getattr(kind, name)) for name in ("__next__", "get_next", "get_next_as_optional")
    }
    # Called when a checkpoint is saved; without this method TensorFlow's own error remains.
    if hasattr(kind, "_serialize_to_tensors"):
        members["_serialize_to_tensors"] = _refused_if_remote(kind._serialize_to_tensors)
    return type(kind.__name__, (kind,), {**members, "__module__": kind.__module__})


def _refused_if_remote(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps *method*, which saves an iterator's position; raises QC362 if workers of a service hold it."""

    @functools.wraps(method)
    def function(self: Any) -> Any:
        self._queuecompat_explained.explainer.check_saving()
        return method(self)

    return function


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (StopIteration, tf.errors.OutOfRangeError):
            known = self._queuecompat_explained
            problem = known.explainer.at_the_end() if known.ends_with_it else None
            if problem is None:
                raise
            raise problem from None
        except (tf.errors.CancelledError, tf.errors.AbortedError):
            raise
        except (tf.errors.OpError, UnicodeDecodeError) as problem:
            known, error = self._queuecompat_explained, failures.op_error(problem)
            words = None if error is None else known.explainer.explained(error, known.is_derived)
            if words is None or words is error:
                raise
            raise words from None

    return function
