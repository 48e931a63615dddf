"""Plans for the passes' tests, written by hand, and their text."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queuecompat._backends.text import lines
from queuecompat._plan import ir
from queuecompat._plan.bodies import Body

__all__ = [
    "NUMBER",
    "RECORD",
    "FakeBody",
    "batch",
    "bucket",
    "merge",
    "plan",
    "produce",
    "queue",
    "read",
    "run",
    "text",
]

NUMBER = (tf.TensorSpec([], tf.int32),)
RECORD = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.string))


class FakeBody(Body):
    """A slice with the given facts, which no pass ever runs."""

    def __init__(self, like: Any = None, form: Any = None, **facts: bool) -> None:
        self.like = like
        self.form = form
        for fact, holds in facts.items():
            assert hasattr(Body, fact), fact
            setattr(self, fact, holds)

    def in_batches(self, lengths: Any = (), size: Any = None, **how: Any) -> Any:
        self.lengths = list(lengths)
        return self.form

    def structural_hash(self) -> Any:
        return self.like

    def describe(self) -> str:
        return "f"

    def written(self, name: str, parameters: Any, writer: Any) -> Any:
        raise AssertionError("a pass wrote the slice")

    def function(self, given: Any = None, uses: Any = (), around: Any = None) -> Any:
        raise AssertionError("a pass ran the slice")


def produce(seeds: Any = (None, None)) -> ir.Produce:
    return ir.Produce(NUMBER, FakeBody(), None, seeds, 32, "producer")


def read() -> ir.Read:
    return ir.Read(RECORD, ir.FileLayout("TFRecord"), with_key=True)


def run(uses: Any = (0,), components: Any = NUMBER, **facts: Any) -> ir.Run:
    return ir.Run(components, FakeBody(**facts), tuple(uses))


def queue(capacity: int = 32, minimum: Any = None, num_threads: int = 1, components: Any = NUMBER) -> ir.Queue:
    return ir.Queue(components, capacity, minimum, None, num_threads)


def batch(size: int = 4, padded: bool = False) -> ir.Batch:
    return ir.Batch((tf.TensorSpec([size], tf.int32),), size, True, padded)


def bucket(*sizes: int, capacity: int = 32) -> ir.Bucket:
    """The one component of an element is its bucket's number, so that a batch is that number alone."""
    return ir.Bucket(NUMBER, sizes, True, False, capacity)


def merge(*branches: ir.Plan) -> ir.Merge:
    return ir.Merge(branches[0].components, branches)


def plan(*steps: ir.Step, is_preview: bool = False) -> ir.Plan:
    return ir.validate(ir.Plan("p", "here.py:1", steps, is_preview))


def text(changed: ir.Plan) -> str:
    """The steps, one a line, without numbers and with single spaces."""
    return "\n".join(" ".join(line.split()[1:]) for line in lines(ir.validate(changed)))
