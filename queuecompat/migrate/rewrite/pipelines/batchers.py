"""Batchers: what they take, what they keep of it, how they mix it and how they batch it.

    tf.train.shuffle_batch([image, label], 8, 100, 50)    ->   dataset = dataset.shuffle(100)
                                                               dataset = dataset.batch(8, drop_remainder=True)

The pool has room for ``capacity`` examples, as a queue's while the model computes. With ``seed`` its order can be had
again, as that of the compiled pipeline; TensorFlow 1's depended on how fast its threads were.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Tuple

import libcst as cst

from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["BATCHERS", "Batcher", "batcher"]

# The arguments by their places; of the joins they are the same but for the number of threads.
_TAIL = ("enqueue_many", "shapes", "dynamic_pad", "allow_smaller_final_batch")
_SHUFFLING = ("batch_size", "capacity", "min_after_dequeue")
_SHUFFLED_TAIL = ("seed", "enqueue_many", "shapes", "allow_smaller_final_batch")
BATCHERS: Dict[str, Tuple[str, ...]] = {
    "tf.train.batch": ("tensors", "batch_size", "num_threads", "capacity", *_TAIL),
    "tf.train.batch_join": ("tensors_list", "batch_size", "capacity", *_TAIL),
    "tf.train.maybe_batch": ("tensors", "keep_input", "batch_size", "num_threads", "capacity", *_TAIL),
    "tf.train.maybe_batch_join": ("tensors_list", "keep_input", "batch_size", "capacity", *_TAIL),
    "tf.train.maybe_shuffle_batch": ("tensors", *_SHUFFLING, "keep_input", "num_threads", *_SHUFFLED_TAIL),
    "tf.train.maybe_shuffle_batch_join": ("tensors_list", *_SHUFFLING, "keep_input", *_SHUFFLED_TAIL),
    "tf.train.shuffle_batch": ("tensors", *_SHUFFLING, "num_threads", *_SHUFFLED_TAIL),
    "tf.train.shuffle_batch_join": ("tensors_list", *_SHUFFLING, *_SHUFFLED_TAIL),
}


@dataclasses.dataclass(frozen=True)
class Batcher:
    """One call of a batcher.

    Attributes:
      call: the call.
      tensors: what it batches; of a join, all lists of it.
      is_join: there are several lists.
      keep: whether an example is kept; with *enqueue_many* of all, or of each; None: always.
      enqueue_many: its tensors hold several examples.
      shapes: of the examples.
      pads: examples of one batch may differ in shape.
      size: of a batch, as an expression, like all that follows.
      pool: room for so many examples that are mixed; "": they keep their order.
      seed: of the mixing; "": none.
      smaller: whether the last batch may be smaller; "": it may not.
      is_ordered: one thread took examples, one after another, as far as is known.
    """

    call: cst.Call
    tensors: cst.BaseExpression
    is_join: bool
    keep: Optional[cst.BaseExpression]
    enqueue_many: bool
    shapes: Optional[cst.BaseExpression]
    pads: bool
    size: str
    pool: str
    seed: str
    smaller: str
    is_ordered: bool

    def pool_lines(self) -> List[str]:
        """The shuffling, if there is any."""
        seed = f", seed={self.seed}" if self.seed else ""
        return [f"dataset = dataset.shuffle({self.pool}{seed})"] if self.pool else []

    def batch_line(self) -> str:
        """The batches, with the last one as the batcher had it."""
        drops = {"": "True", "False": "True", "True": ""}.get(self.smaller, f"not ({self.smaller})")
        rest = f", drop_remainder={drops}" if drops else ""
        return f"dataset = dataset.{'padded_batch' if self.pads else 'batch'}({self.size}{rest})"


def batcher(source: Source, call: cst.Call) -> Batcher:
    """What is known of the call of one of ``BATCHERS``.

    Raises:
      UnsupportedPatternError: something in it has no counterpart.
    """
    parameters = BATCHERS[source.names.symbol(call.func)]
    given = InputCall(source, call, positions(*parameters))
    given.require_only()
    tensors = given.value(parameters[0])
    if tensors is None:
        raise refused("tensors-not-listed", call)
    seed, shapes = ("" if given.code(name) == "None" else given.code(name) for name in ("seed", "shapes"))
    keep = given.value("keep_input")
    if given.code("keep_input") == "False":
        raise refused("never-kept", call)
    return Batcher(
        call,
        tensors,
        is_join=parameters[0] == "tensors_list",
        keep=None if given.code("keep_input") == "True" else keep,
        enqueue_many=given.is_true("enqueue_many"),
        shapes=given.value("shapes") if shapes else None,
        pads=given.is_true("dynamic_pad"),
        size=given.code("batch_size"),
        pool=given.code("capacity") if "min_after_dequeue" in parameters else "",
        seed=seed,
        smaller=given.code("allow_smaller_final_batch"),
        is_ordered=parameters[0] != "tensors_list" and not _has_threads(given),
    )


def _has_threads(given: InputCall) -> bool:
    """Whether several threads take examples, for sure."""
    count = given.written_out("num_threads")
    return isinstance(count, cst.Integer) and count.evaluated_value > 1
