"""Decides whether code of a program runs after a loop that ends with its data.

while True:
    sess.run(train_op)       ends with tf.errors.OutOfRangeError, if nothing catches it
print("trained")             would be reached only after a loop over a dataset
"""

from __future__ import annotations

from typing import FrozenSet, List

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, definition
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_last", "may_end"]

# The position of their parameter num_epochs.
_PRODUCERS = {
    "tf.train.input_producer": 2,
    "tf.train.range_input_producer": 1,
    "tf.train.slice_input_producer": 1,
    "tf.train.string_input_producer": 1,
}
_ENDING = {"tf.train.QueueRunner", "tf.train.limit_epochs"}
_RUNNING = {"tf.app.run"}
_EXITING = {"absl.app.run", "exit", "sys.exit"}


def may_end(source: Source, pipeline: Input) -> bool:
    """Whether its data may end; they cannot if every producer goes on forever."""
    calls = [call for line in pipeline.statements for call in calls_of(source, line)]
    symbols = {source.names.symbol(call.func) for call in calls}
    if symbols & _ENDING or any(symbol.startswith("tf.contrib.") for symbol in symbols):
        return True
    producers = [call for call in calls if source.names.symbol(call.func) in _PRODUCERS]
    return not producers or any(_may_stop(source, call) for call in producers)


def _may_stop(source: Source, producer: cst.Call) -> bool:
    epochs = argument(producer, "num_epochs", _PRODUCERS[source.names.symbol(producer.func)])
    is_none = epochs is None or (isinstance(epochs, cst.Name) and epochs.value == "None")
    return not is_none or any(one.star for one in producer.args)


def is_last(source: Source, node: cst.CSTNode, seen: FrozenSet[cst.CSTNode] = frozenset()) -> bool:
    """Whether no code of the program follows the call of the function that contains *node*.

    At the top level of a module it is True: there the caller sees all statements that follow *node*.
    """
    function = source.around(node, cst.FunctionDef)
    if function is None:
        return True
    calls = _calls(source, function)
    return bool(calls) and function not in seen and all(_ends(source, one, seen | {function}) for one in calls)


def _calls(source: Source, function: cst.FunctionDef) -> List[cst.CSTNode]:
    """The nodes that refer to *function*; ``tf.app.run()`` refers to ``main``."""
    named = [one for one in source.every(cst.Name) if one is not function.name and definition(source, one) is function]
    if function.name.value != "main":
        return [*named]
    return [*named, *(one for one in source.every(cst.Call) if source.names.symbol(one.func) in _RUNNING)]


def _ends(source: Source, called: cst.CSTNode, seen: FrozenSet[cst.CSTNode]) -> bool:
    """Whether *called* is the last statement of the program, or of functions that the last statement calls."""
    call = source.parents[called] if isinstance(called, cst.Name) else called
    if isinstance(call, cst.Arg):
        call = source.parents[call]
    elif isinstance(source.parents[call], cst.Arg):
        call = source.parents[source.parents[call]]
    if not isinstance(call, cst.Call) or not isinstance(source.parents[call], cst.Expr):
        return False
    if call.func is not called and call is not called and not _exits(source, call):
        return False
    node: cst.CSTNode = source.parents[call]
    around = source.parents.get(node)
    while around is not None and not isinstance(around, cst.FunctionDef):
        body = getattr(around, "body", None)
        if isinstance(around, (cst.For, cst.Try, cst.While)) or (
            isinstance(body, (list, tuple)) and body[-1] is not node
        ):
            return False
        node, around = around, source.parents.get(around)
    return is_last(source, node, seen)


def _exits(source: Source, call: cst.Call) -> bool:
    """Whether *call*, which gets a function or its result, never returns to the program."""
    written = source.names.full(call.func) or source.code(call.func)
    return written in _EXITING or source.names.symbol(call.func) in _RUNNING
