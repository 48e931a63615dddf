"""Batchers: which tensors they batch, which examples they keep, how they shuffle them, and the size of a batch.

    tf.train.shuffle_batch([image, label], 8, 100, 50)    ->   dataset = dataset.shuffle(100)
                                                               dataset = dataset.batch(8, drop_remainder=True)

The shuffle buffer has room for ``capacity`` examples, which is what a queue holds while the model computes. With
``seed`` the order is reproducible, as in the compiled pipeline; TensorFlow 1's depended on the speed of its threads.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Tuple

import libcst as cst

from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["BATCHERS", "Batcher", "batcher", "opposite"]

# The parameters by position; those of the joins are the same without the number of threads.
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
      tensors: what it batches; for a join, all its lists.
      is_join: whether there are several lists.
      keep: whether an example is kept; with *enqueue_many*, one value for all or one for each; None: always.
      enqueue_many: whether its tensors hold several examples each.
      shapes: the shapes of the examples.
      pads: whether the examples of a batch may differ in shape, and are padded.
      size: the batch size, as an expression; the following attributes are expressions too.
      shuffle_size: the size of the shuffle buffer, in examples; "" if the order is kept.
      seed: the seed for shuffling; "" if there is none.
      smaller: whether the last batch may be smaller; "" if it may not.
      is_ordered: whether a single thread enqueued the examples one after another, as far as is known (a bool).
    """

    call: cst.Call
    tensors: cst.BaseExpression
    is_join: bool
    keep: Optional[cst.BaseExpression]
    enqueue_many: bool
    shapes: Optional[cst.BaseExpression]
    pads: bool
    size: str
    shuffle_size: str
    seed: str
    smaller: str
    is_ordered: bool

    def shuffle_lines(self) -> List[str]:
        """The line that shuffles, if the batcher shuffles."""
        seed = f", seed={self.seed}" if self.seed else ""
        return [f"dataset = dataset.shuffle({self.shuffle_size}{seed})"] if self.shuffle_size else []

    def batch_line(self) -> str:
        """The line that batches, treating the last batch as the batcher did."""
        drops = {"": "True", "False": "True", "True": ""}.get(self.smaller, opposite(self.smaller))
        if self.smaller.startswith("not ") and not drops.startswith("not "):
            drops = f"bool({drops})"  # since "not" returned a bool
        rest = f", drop_remainder={drops}" if drops else ""
        return f"dataset = dataset.{'padded_batch' if self.pads else 'batch'}({self.size}{rest})"


def batcher(source: Source, call: cst.Call) -> Batcher:
    """Reads a call of one of ``BATCHERS``.

    Raises:
      UnsupportedPatternError: a part of it has no counterpart.
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
        shuffle_size=given.code("capacity") if "min_after_dequeue" in parameters else "",
        seed=seed,
        smaller=given.code("allow_smaller_final_batch"),
        is_ordered=parameters[0] != "tensors_list" and not _has_threads(given),
    )


def _has_threads(given: InputCall) -> bool:
    """Whether several threads certainly enqueue examples."""
    count = given.written_out("num_threads")
    return isinstance(count, cst.Integer) and count.evaluated_value > 1


def opposite(condition: str) -> str:
    """The opposite of a condition, as code."""
    start, _, rest = condition.partition(" ")
    if start == "not" and rest.replace(".", "").isidentifier():
        return rest
    return f"not {condition if condition.replace('.', '').isidentifier() else f'({condition})'}"
