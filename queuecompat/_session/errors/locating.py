"""Which record an error is about: the elements of a pipeline are made again, one by one, until one fails with it.

tf.data says neither the file nor the record, and to carry them beside every element would cost every step. So the error
pays for it: the files are read again, in the order of their list, and each of the program's slices runs on each record.
In a session it runs on the program's own ops, to which what it takes is fed, and nothing is added to the program's
graph; for a dataset it is a function of eager mode. What runs a slice is an argument.

Rule 1: what has effects, or is Python, is not run again; then the record stays unnamed.
Rule 2: the search ends after ``SECONDS``. What it finds fails with the same words as the step did; only what says where
        in a batch it was may be different.
Rule 3: what comes after a batch runs on whole batches, as its graph says. Of one that fails, each record is tried
        alone, as a batch of copies.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import six
import tensorflow as tf

from queuecompat._analysis.slicing import Slice
from queuecompat._backends.tfdata.files import records_of
from queuecompat._plan import ir
from queuecompat._session.steps import failures
from queuecompat.records.index_files import has_changed
from queuecompat.records.open_files import is_read_once

__all__ = ["SECONDS", "files_read", "place_of"]

# An error waits no longer than this to be named better.
SECONDS = 5.0

_CHANGED = "has changed since its records were found"

# What a slice, which neither has effects nor is Python, returns for values of its sources.
RunOnce = Callable[[Slice, Sequence[Any]], Sequence[Any]]

# Which record of a batch it was, in the words of TensorFlow's parsers.
_WHERE_IN_A_BATCH = re.compile(r"\bName: [^,]*, |\bKey: (?=[^,]*, Index)|, Index: \d+|(?<=\brecord )\d+")


class _Element(NamedTuple):
    place: str
    values: Sequence[Any]


class _FoundError(Exception):
    """The record at *place* fails."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class _UnknownError(Exception):
    """The elements cannot be made again, or not in time."""


def place_of(steps: Sequence[ir.Step], cause: str, run: RunOnce) -> Optional[str]:
    """The file and the position of the first record that *steps* fail on with *cause*; None where it is not found.

    Args:
      steps: of the plan of a preview, as captured.
    """
    search = _Search(run, cause, time.monotonic() + SECONDS)
    try:
        for _ in search.elements(steps):
            pass
    except _FoundError as found:
        return found.place
    except Exception:
        return search.changed  # what is being raised is the error itself, and it must not be lost for its place
    return search.changed


def files_read(steps: Sequence[ir.Step], layout: ir.FileLayout, run: RunOnce) -> List[bytes]:
    """The names of the files of this *layout* that *steps* read, each once, as far as they can be made again.

    Args:
      steps: of the plan of a preview, as captured.
    """
    search = _Search(run, "", time.monotonic() + SECONDS)
    found: Dict[bytes, None] = {}
    try:
        for name in search.names(steps, layout):
            found[name] = None
    except Exception:
        return list(found)  # where names cannot be made again, nothing is known of their files
    return list(found)


class _Search:
    """One search.

    Attributes:
      changed: what to say where no record fails, if a file is not the one any more whose records were looked for.
    """

    def __init__(self, run: RunOnce, cause: str, deadline: float) -> None:
        self.changed: Optional[str] = None
        self._run_once = run
        self._cause = _comparable(cause)
        self._deadline = deadline

    def elements(self, steps: Sequence[ir.Step]) -> Iterator[_Element]:
        """The elements that *steps* output, without order where a queue mixes them."""
        return self._through(steps[1:], self._source(steps[0]))

    def names(self, steps: Sequence[ir.Step], layout: ir.FileLayout) -> Iterator[bytes]:
        """The names of the files of *layout* that *steps* read."""
        if isinstance(steps[0], (ir.Merge, ir.Zip)):
            for branch in steps[0].branches:
                yield from self.names(branch.steps, layout)
        for number, step in enumerate(steps):
            if isinstance(step, ir.Read) and step.layout == layout and not step.open_blocks:
                for element in self.elements(steps[:number]):
                    yield bytes(np.asarray(element.values[0]).item())

    def _through(self, steps: Sequence[ir.Step], made: Iterator[_Element]) -> Iterator[_Element]:
        """What *steps* make of the elements *made*; up to a batch, if nothing can fail after that."""
        for number, step in enumerate(steps):
            if isinstance(step, (ir.Batch, ir.Bucket)):
                rest = steps[number + 1 :]
                can_fail = any(isinstance(one, ir.Run) and not one.body.is_empty for one in rest)
                if can_fail and isinstance(step, ir.Batch) and not step.padded:
                    return self._of_batches(made, step.size, rest)
                return made
            if not isinstance(step, (ir.Prefetch, ir.Queue, ir.Shuffle)):
                made = self._after(step, made)
        return made

    def _of_batches(self, made: Iterator[_Element], size: int, rest: Sequence[ir.Step]) -> Iterator[_Element]:
        while True:
            batch = list(itertools.islice(made, size))
            if not batch:
                break
            try:
                yield from self._through(rest, iter([_stacked([*batch, *[batch[-1]] * (size - len(batch))])]))
            except _FoundError:
                for element in batch:
                    for _ in self._through(rest, iter([_stacked([element] * size)])):
                        pass
                raise _UnknownError from None

    def _source(self, step: ir.Step) -> Iterator[_Element]:
        if isinstance(step, ir.Produce):
            yield from self._rows(step)
        elif isinstance(step, ir.Merge):
            for branch in step.branches:
                yield from self.elements(branch.steps)
        elif isinstance(step, ir.Zip):
            for several in zip(*(self.elements(branch.steps) for branch in step.branches)):
                yield _Element(several[0].place, [value for one in several for value in one.values])
        else:
            raise _UnknownError

    def _rows(self, step: ir.Produce) -> Iterator[_Element]:
        (rows,) = self._run(step.body, [])
        for number, row in enumerate(rows):
            yield _Element(_text(row) if isinstance(row, bytes) else f"row {number} of '{step.stage}'", [row])

    def _after(self, step: ir.Step, made: Iterator[_Element]) -> Iterator[_Element]:
        for element in made:
            if time.monotonic() > self._deadline:
                raise _UnknownError
            if isinstance(step, ir.Read):
                yield from self._records(step, _text(element.values[0]))
            elif isinstance(step, ir.Run):
                yield from self._results(step, element)
            elif isinstance(step, ir.Unbatch):
                yield from (_Element(element.place, row) for row in zip(*element.values))
            elif isinstance(step, ir.Filter):
                yield from [_Element(element.place, element.values[:-1])] if element.values[-1] else []
            else:
                raise _UnknownError

    def _records(self, step: ir.Read, name: str) -> Iterator[_Element]:
        # A vector of records becomes vectors of one.
        alone = dataclasses.replace(step, with_key=True, up_to=None if step.up_to is None else 1)
        place = name
        if is_read_once(name):
            raise _UnknownError
        if self.changed is None and has_changed(name) and _CHANGED not in self._cause:
            self.changed = f"{name} {_CHANGED}"
        try:
            for number, (key, value) in enumerate(_read_again(name, alone)):
                place = f"{_text(np.reshape(key, [-1])[0])} (record {number} of the file, counted from 0)"
                yield _Element(place, [key, value] if step.with_key else [value])
        except tf.errors.OpError as error:
            if self._is_the_same(error):
                raise _FoundError(f"the one after {place}" if place != name else f"{name}, the first") from None

    def _results(self, run: ir.Run, element: _Element) -> Iterator[_Element]:
        values = [element.values[use] for use in run.uses]
        if run.body.is_empty:
            yield _Element(element.place, values)
            return
        try:
            results = self._run(run.body, values)
        except (tf.errors.OpError, UnicodeDecodeError) as problem:
            if self._is_the_same(problem):
                raise _FoundError(element.place) from None
        else:
            yield _Element(element.place, results)

    def _run(self, body: Any, values: Sequence[Any]) -> Sequence[Any]:
        if not isinstance(body, Slice) or body.keeps_its_order or body.calls_python:
            raise _UnknownError
        return self._run_once(body, values)

    def _is_the_same(self, problem: Exception) -> bool:
        error = failures.op_error(problem)
        return error is not None and _comparable(failures.cause(error)) == self._cause


def _comparable(cause: str) -> str:
    return _WHERE_IN_A_BATCH.sub("", cause)


def _stacked(elements: Sequence[_Element]) -> _Element:
    """A batch of *elements*, which says that it is from where the first of them is."""
    return _Element(elements[0].place, [_stack(values) for values in zip(*(one.values for one in elements))])


def _stack(values: Sequence[Any]) -> np.ndarray:
    # NumPy's own strings end at their last byte that is not zero.
    return np.array(values, object) if isinstance(values[0], bytes) else np.stack(values)


def _read_again(name: str, step: ir.Read) -> Iterator[Tuple[Any, Any]]:
    """The keys and values of the file's records."""
    graph = tf.Graph()
    # Neither stays the default one between two records: the program's slices run there, in their own.
    with graph.as_default():
        iterator = tf.compat.v1.data.make_initializable_iterator(records_of(tf.constant(name), step))
        following: List[Any] = list(iterator.get_next())
    session = tf.compat.v1.Session(graph=graph)
    try:
        session.run(iterator.initializer)
        while True:
            try:
                record = tuple(session.run(following))
            except tf.errors.OutOfRangeError:
                return
            yield record
    finally:
        session.close()


def _text(value: Any) -> str:
    return six.ensure_text(value, errors="replace")
