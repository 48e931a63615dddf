"""Finds the record that an error is about: repeats the pipeline element by element until one fails with the same error.

tf.data reports neither the file nor the record, and carrying them along with each element would slow down every step.
So only a failure pays for the search: the files are read again in the order of their list, and the program's ops run on
one record at a time. In a session these are the ops of the program's own graph, to which the record is fed, so nothing
is added to the graph; for an eager dataset they are a function. Callers pass in how to run them (``RunOnce``).

Rule 1: a slice that has side effects or calls Python is not run again; the record then stays unknown.
Rule 2: the search stops after ``SECONDS``. A record counts as found if it fails with the same message as the step did;
        only the position within a batch may differ.
Rule 3: what comes after a batch runs on whole batches, because its graph expects them. When a batch fails, each of its
        records is tried alone, as a batch of copies.
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

# Seconds by which the search may delay an error, at most.
SECONDS = 5.0

_CHANGED = "has changed since its records were found"

# Runs a slice, which has no side effects and calls no Python, on values of its sources; returns its outputs.
RunOnce = Callable[[Slice, Sequence[Any]], Sequence[Any]]

# How the messages of TensorFlow's parsers say which record of a batch failed.
_WHERE_IN_A_BATCH = re.compile(r"\bName: [^,]*, |\bKey: (?=[^,]*, Index)|, Index: \d+|(?<=\brecord )\d+")


class _Element(NamedTuple):
    place: str
    values: Sequence[Any]


class _FoundError(Exception):
    """The record at *place* fails with the error that is looked for."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class _UnknownError(Exception):
    """The elements cannot be computed again, or not in time."""


def place_of(steps: Sequence[ir.Step], cause: str, run: RunOnce) -> Optional[str]:
    """The file and the position of the first record on which *steps* fail with *cause*; None if it is not found.

    Args:
      steps: those of the preview's plan, as captured.
      cause: the message of the error, from ``failures.cause``.
      run: runs a slice.
    """
    search = _Search(run, cause, time.monotonic() + SECONDS)
    try:
        for _ in search.elements(steps):
            pass
    except _FoundError as found:
        return found.place
    except Exception:
        return search.changed  # a failure of the search must not replace the error that is being raised
    return search.changed


def files_read(steps: Sequence[ir.Step], layout: ir.FileLayout, run: RunOnce) -> List[bytes]:
    """The names of the files of this *layout* that *steps* read, each once, as far as they can be computed again.

    Args:
      steps: those of the preview's plan, as captured.
    """
    search = _Search(run, "", time.monotonic() + SECONDS)
    found: Dict[bytes, None] = {}
    try:
        for name in search.names(steps, layout):
            found[name] = None
    except Exception:
        return list(found)  # names that cannot be computed again are left out
    return list(found)


class _Search:
    """One search.

    Attributes:
      changed: what to report if no record fails, because a file has changed since its records were indexed; None: no
        file has changed.
    """

    def __init__(self, run: RunOnce, cause: str, deadline: float) -> None:
        self.changed: Optional[str] = None
        self._run_once = run
        self._cause = _comparable(cause)
        self._deadline = deadline

    def elements(self, steps: Sequence[ir.Step]) -> Iterator[_Element]:
        """The elements that *steps* output; queues that shuffle or mix are ignored, so the order may differ."""
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
        """The results of *steps* for the elements *made*.

        Stops at a padded or bucketed batch, and at a batch after which no step can fail.
        """
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
        while batch := list(itertools.islice(made, size)):
            try:
                yield from self._through(rest, iter([_stacked([*batch, *[batch[-1]] * (size - len(batch))])]))
            except _FoundError:
                for element in batch:
                    self._run_all(rest, [_stacked([element] * size)])
                raise _UnknownError from None

    def _run_all(self, steps: Sequence[ir.Step], elements: Sequence[_Element]) -> None:
        """Runs *steps* on *elements*; raises ``_FoundError`` if one of them fails as the step of the program did."""
        for _ in self._through(steps, iter(elements)):
            pass

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
        # A reader that outputs vectors of records outputs one record at a time here.
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
    """A batch of *elements*; its place is that of the first element."""
    return _Element(elements[0].place, [_stack(values) for values in zip(*(one.values for one in elements))])


def _stack(values: Sequence[Any]) -> np.ndarray:
    # NumPy's own string type drops trailing zero bytes.
    return np.array(values, object) if isinstance(values[0], bytes) else np.stack(values)


def _read_again(name: str, step: ir.Read) -> Iterator[Tuple[Any, Any]]:
    """Yields the key and the value of each record of the file."""
    graph = tf.Graph()
    # Neither the graph nor the session may be the default while the caller has control: the program's ops, which belong
    # to another graph, run then.
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
