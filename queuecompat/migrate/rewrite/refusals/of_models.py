"""Why a model stays in the graph of its session."""

from __future__ import annotations

from queuecompat.migrate.rewrite.refusals.refusal import Refusal

__all__ = ["ROWS"]

_APART = "write each statement on a line of its own"

ROWS = (
    # The model.
    Refusal(
        "unknown-draw",
        "it is unknown here whether this run draws a batch",
        "fetch a tensor that is computed from the batch in a line of its own",
        in_graph=True,
    ),
    Refusal(
        "unknown-draws",
        "it is unknown here from which pipelines this run draws a batch",
        "fetch tensors of one pipeline in each run",
        in_graph=True,
    ),
    Refusal("second-training", "there is a second training op", "train with one", in_graph=True),
    Refusal(
        "minimize-arguments",
        "minimize has arguments that are not supported",
        "pass the loss, global_step and name only",
        in_graph=True,
    ),
    Refusal(
        "more-than-assignment",
        "it is more than an assignment on a batch",
        "write it as 'name = ...'",
        in_graph=True,
    ),
    Refusal(
        "call-on-batch", "'{call}' is more than an assignment on a batch", "write it as 'name = ...'", in_graph=True
    ),
    Refusal(
        "assigned-in-part",
        "it assigns to '{target}', and not to plain names",
        "use a name of its own for the value",
    ),
    Refusal("loss-renamed", "the loss has been minimized under this name", "use a different name here"),
    Refusal("reused-name", "'{name}' had a different value before", "use a different name here"),
    Refusal(
        "mixed-batches",
        "it mixes batches of two pipelines in a function or a lambda",
        "write the expression here",
        in_graph=True,
    ),
    Refusal("makes-and-more", "it makes a variable, and more", _APART, in_graph=True),
    Refusal(
        "variable-in-block",
        "it computes from a variable in a block of its own",
        "put the statement outside of the block",
        in_graph=True,
    ),
    Refusal(
        "variables-twice",
        "variables are created here, and in a function that is called for each batch",
        "",
        in_graph=True,
    ),
    Refusal(
        "several-templates",
        "several functions create variables for each batch",
        "call them from one function, and that for each batch",
        in_graph=True,
    ),
    # What may be repeated for each batch.
    Refusal(
        "changes-outside",
        "'{function}' changes what is outside of it",
        "return the value instead",
        in_graph=True,
    ),
    Refusal("closure-tensor", "'{name}' is read in a function", "give it as an argument"),
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
        "it is unknown here whether the program fetches '{call}'",
        "fetch it by itself, in the line of the run",
        in_graph=True,
    ),
    Refusal(
        "unknown-call",
        "it is unknown here what '{call}' does",
        "write it with ops of TensorFlow, or with a function of this file",
        in_graph=True,
    ),
)
