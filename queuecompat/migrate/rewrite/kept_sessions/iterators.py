"""Takes a graph's batches from an iterator, where an input function used to return tensors.

    images, labels = tf.data.make_one_shot_iterator(inputs(files)).get_next()

The iterator takes the place of the batcher, and the function returns tensors as before, if not all callers are known
(it is used as a value or looked up by its name), if one needs the list that it returned, or if lines after the batcher
belong to the graph:

    dataset = dataset.prefetch(tf.data.AUTOTUNE)
    images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    tf.summary.image("images", images)
    return images, labels

Rule 1: such an iterator starts by itself and cannot capture tensors of the graph, so a dataset must be built from plain
        Python values.
Rule 2: it has no queue runners, and its ops have other names than those of queues. The program must not look up either.
Rule 3: a dataset turns a list into a tuple. A program that does not unpack its batch at once would notice.
Rule 4: a call that may be one of an unknown function may be one of the input function.
"""

from __future__ import annotations

import itertools
import re
from typing import Iterable, Iterator, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.attributes import assigned
from queuecompat.migrate.analysis.call_graph import callee, calls_of, reachable
from queuecompat.migrate.analysis.lists import is_list
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.namedtuples import makes_namedtuple
from queuecompat.migrate.rewrite.imports.eager_imports import tensorflow_name
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.eager import is_op
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "from_iterator",
    "is_unpacked",
    "may_be_a_list",
    "require_no_graph",
    "require_no_names",
    "require_no_runners",
    "require_values",
    "require_values_of_all_calls",
]

# What lives in the graph of a session, and could not be shared with an iterator that starts by itself.
_OF_SESSIONS = (
    "tf.all_variables", "tf.assign", "tf.contrib.lookup", "tf.global_variables", "tf.local_variables", "tf.lookup",
    "tf.make_template", "tf.model_variables", "tf.set_random_seed", "tf.tables_", "tf.trainable_variables",
)  # fmt: skip
# Methods of a graph that take a name; and the form of names such as "input/batch_1:0", wherever they occur.
_BY_NAME = {"as_graph_element", "get_operation_by_name", "get_tensor_by_name"}
_TENSOR_NAME = re.compile(r"[A-Za-z0-9.][\w.\\/>-]*:\d+")
_LAST_PART = re.compile(r"([^/]*?)(_\d+)?(:\d+)?")


def from_iterator(source: Source, call: cst.Call) -> cst.BaseExpression:
    """Returns the expression ``tf.data.make_one_shot_iterator(call).get_next()``."""
    maker = cst.parse_expression(f"{tensorflow_name(source)}.data.make_one_shot_iterator")
    iterator = cst.Call(maker, [cst.Arg(call)])
    return cst.Call(cst.Attribute(iterator, cst.Name("get_next")), lpar=(), rpar=())


def require_values_of_all_calls(sources: Sequence[Source], function: cst.FunctionDef) -> None:
    """Refuses a *function* with parameters if one of *sources* may call it with a tensor, also without naming it.

    Raises:
      UnsupportedPatternError: at *function*.
    """
    if any(True for _ in every(function.params, cst.Param)):
        name = function.name.value
        stored = {one.target.attr.value for user in sources for one in user.once(assigned)}
        for user in sources:
            for call in user.every(cst.Call):
                is_named = dotted_name(call.func).rpartition(".")[2] == name and not user.names.symbol(call.func)
                if is_named or _is_unknown(user, call, stored):
                    require_values(user, call, function)


def _is_unknown(source: Source, call: cst.Call, stored: Set[str]) -> bool:
    """Whether it is known only at run time what *call* calls, or which function it passes on with its arguments.

    Args:
      stored: the attributes that may hold a function.
    """
    if source.names.full(call.func) == "functools.partial":
        return True
    if source.names.full(call.func) is not None or callee(source, call) is not None:
        return False
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value in stored
    return not isinstance(call.func, cst.Name) or bool(source.names.definitions(call.func))


def _is_tensor(source: Source, name: cst.Name) -> bool:
    """Whether the value assigned to *name* may come from TensorFlow."""
    lines = (source.around(one, (cst.AnnAssign, cst.Assign, cst.AugAssign)) for one in source.names.definitions(name))
    return any(is_op(source, call) for line in lines if line is not None for call in source.every(cst.Call, line))


def require_values(source: Source, call: cst.Call, function: cst.FunctionDef) -> None:
    """Refuses a *call* of an input *function* whose arguments are not all plain Python values.

    Raises:
      UnsupportedPatternError: at *function*.
    """
    for arg in call.args:
        names = [one for one in every(arg.value, cst.Name) if _is_tensor(source, one)]
        calls = [one for one in every(arg.value, cst.Call) if is_op(source, one)]
        if names or calls:
            raise refused("graph-argument", function, value=source.code(arg.value), call=source.code(call.func))


def require_no_graph(source: Source, function: cst.FunctionDef) -> None:
    """Refuses an input *function* that reads outer tensors of the session's graph, or calls functions of that graph.

    Lines after an iterator in the function may do both.

    Raises:
      UnsupportedPatternError: at the name or the call.
    """
    inside = set(every(function, cst.CSTNode))  # type: ignore[type-abstract]
    lines = list(itertools.takewhile(lambda line: not _takes_element(source, line), function.body.body))
    for name in [name for line in lines for name in every(line, cst.Name)]:
        if any(one not in inside for one in source.names.definitions(name)) and _is_tensor(source, name):
            raise refused("graph-argument", name, value=name.value, call=function.name.value)
    for call in calls_of(source, *lines):
        symbol = source.names.symbol(call.func)
        if symbol.startswith(_OF_SESSIONS) or symbol.endswith("global_step"):
            raise refused("graph-op", call, call=source.code(call.func))
        if symbol.startswith("tf.summary") or symbol.endswith("_summary"):
            raise refused("summary-of-batch", call, call=source.code(call.func))


def _takes_element(source: Source, line: cst.CSTNode) -> bool:
    return any(source.names.symbol(one) == "tf.data.make_one_shot_iterator" for one in every(line, cst.Attribute))


def is_unpacked(source: Source, call: cst.Call) -> bool:
    """Whether the batch is unpacked into several names at once, where a tuple works like a list."""
    line = source.parents.get(call)
    return isinstance(line, cst.Assign) and all(isinstance(one.target, (cst.List, cst.Tuple)) for one in line.targets)


def may_be_a_list(source: Source, function: cst.FunctionDef, depth: int = 8) -> bool:
    """Whether *function* may return a list, which a dataset turns into a tuple."""
    values = [one.value for one in every(function, cst.Return) if one.value is not None]
    return not depth or not all(_is_no_list(source, function, one, depth) for one in values)


def _is_no_list(source: Source, function: cst.FunctionDef, value: cst.BaseExpression, depth: int) -> bool:
    if isinstance(value, (cst.Dict, cst.Tuple)):
        return True
    if isinstance(value, cst.Call):
        return _returns_no_list(source, value, depth)
    if not isinstance(value, cst.Name):
        return False
    lines = [(line, one.target) for line in every(function, cst.Assign) for one in line.targets]
    given = [line.value for line, target in lines if isinstance(target, cst.Name) and target.value == value.value]
    return all(_is_no_list(source, function, one, depth) for one in given)


def _returns_no_list(source: Source, call: cst.Call, depth: int) -> bool:
    if makes_namedtuple(source, call):
        return not any(isinstance(one.value, cst.List) for one in call.args)
    helper = callee(source, call)
    if isinstance(helper, cst.FunctionDef):
        return not may_be_a_list(source, helper, depth - 1)
    symbol = source.names.symbol(call.func)
    if symbol not in BATCHERS:
        return bool(symbol)
    if symbol.startswith("tf.train."):
        return is_list(source, call, None) is False
    given = call.args[0].value if call.args else None
    return isinstance(given, cst.Dict) or (isinstance(given, (cst.List, cst.Tuple)) and len(given.elements) == 1)


def require_no_names(sources: Iterable[Source], source: Source, function: cst.FunctionDef) -> None:
    """Refuses an input *function* of *source* if one of *sources* may look up, by name, a tensor that it creates.

    Raises:
      UnsupportedPatternError: at *function*.
    """
    calls = list(calls_of(source, function))
    own = {source.names.symbol(call.func).rpartition(".")[2] for call in calls}
    own.update(_last_part(text) for one in reachable(source, function) for text in _strings(source, one))
    for user in sources:
        for name in _looked_up(user):
            if _last_part(name) in own:
                raise refused("named-tensor", function, name=name)


def require_no_runners(sources: Iterable[Source], function: cst.FunctionDef) -> None:
    """Refuses an input *function* if one of *sources* looks at queue runners, except in a loop over all of them.

    Raises:
      UnsupportedPatternError: at *function*.
    """
    for user in sources:
        for call in user.every(cst.Call):
            if user.names.symbol(call.func) != "tf.get_collection" or isinstance(user.parents.get(call), cst.For):
                continue
            key = argument(call, "key", 0)
            if key is not None and user.names.symbol(key) == "tf.GraphKeys.QUEUE_RUNNERS":
                raise refused("asked-runners", function, call=user.code(call))


def _looked_up(source: Source) -> Iterator[str]:
    """The strings of a file that name a tensor or an op."""
    for call in source.every(cst.Call):
        if method(call) in _BY_NAME:
            yield from _strings(source, call)
    yield from (text for text in _strings(source, source.tree) if _TENSOR_NAME.fullmatch(text))


def _strings(source: Source, node: cst.CSTNode) -> Iterator[str]:
    return (one.raw_value for one in source.every(cst.SimpleString, node))


def _last_part(name: str) -> str:
    """The ``batch`` of ``input/batch_1:0``."""
    found = _LAST_PART.fullmatch(name.rpartition("/")[2])
    return name if found is None else found.group(1)
