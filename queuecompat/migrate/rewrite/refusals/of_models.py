"""Why a model stays in the graph of its session."""

from __future__ import annotations

from queuecompat.migrate.rewrite.refusals.refusal import Refusal

__all__ = ["ROWS"]

_APART = "write each statement on a line of its own"

ROWS = (
    # The model.
    Refusal(
        "unknown-draw",
        "it is unknown whether this run takes a batch",
        "fetch a tensor that is computed from the batch in a line of its own",
        in_graph=True,
    ),
    Refusal(
        "unknown-draws",
        "it is unknown from which pipelines this run takes a batch",
        "fetch tensors of one pipeline in each run",
        in_graph=True,
    ),
    Refusal("second-training", "there is a second training op", "use a single training op", in_graph=True),
    Refusal(
        "computed-rate",
        "the optimizer depends on '{name}', which every run computes from what is fed or from a batch",
        "feed it as the learning rate itself",
        in_graph=True,
    ),
    Refusal(
        "minimize-arguments",
        "minimize has arguments that are not supported",
        "pass the loss, global_step and name only",
        in_graph=True,
    ),
    Refusal(
        "more-than-assignment",
        "this statement uses a batch, but is not a plain assignment",
        "write it as 'name = ...'",
        in_graph=True,
    ),
    Refusal(
        "call-on-batch",
        "'{call}' uses a batch, but its result is not assigned to a name",
        "write it as 'name = ...'",
        in_graph=True,
    ),
    Refusal(
        "assigned-in-part",
        "it assigns to '{target}', which is not a plain name",
        "assign the value to a name of its own",
    ),
    Refusal("loss-renamed", "this name already stands for the loss that is minimized", "use a different name here"),
    Refusal("reused-name", "'{name}' had a different value before", "use a different name here"),
    Refusal(
        "mixed-batches",
        "it mixes batches of two pipelines in a function or a lambda",
        "write the expression here",
        in_graph=True,
    ),
    Refusal("makes-and-more", "this statement creates a variable and does something else, too", _APART, in_graph=True),
    Refusal(
        "variable-in-block",
        "it uses the value of a variable inside a block",
        "move the statement out of the block",
        in_graph=True,
    ),
    Refusal(
        "variables-twice",
        "variables are created both here and in a function that is called for each batch",
        "create them all in that function",
        in_graph=True,
    ),
    Refusal(
        "several-templates",
        "several functions create variables for each batch",
        "call them from one function, and call that function for each batch",
        in_graph=True,
    ),
    # What may be repeated for each batch.
    Refusal(
        "changes-outside",
        "'{function}' modifies a value outside itself",
        "return the value instead",
        in_graph=True,
    ),
    Refusal("closure-tensor", "a function reads the tensor '{name}' from an enclosing scope", "pass it as an argument"),
    Refusal(
        "not-repeatable",
        "'{call}' cannot be repeated for each batch",
        "move it out of the loop's model",
        in_graph=True,
    ),
    Refusal(
        "contrib-not-repeatable",
        "'{call}' cannot be repeated for each batch",
        "use {instead}, which can",
        in_graph=True,
    ),
    Refusal(
        "maybe-not-fetched",
        "it is unknown whether the program fetches '{call}'",
        "fetch it by itself, in the call of session.run",
        in_graph=True,
    ),
    Refusal(
        "unknown-call",
        "it is unknown what '{call}' does",
        "write it with TensorFlow ops, or move the function into this file",
        in_graph=True,
    ),
)
