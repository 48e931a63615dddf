"""Recognises the statements of a program that build its queue pipeline."""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, List, Optional, Tuple

import libcst as cst

from queuecompat import api
from queuecompat.migrate.analysis.call_graph import definition, may_mean, reachable
from queuecompat.migrate.analysis.namedtuples import makes_namedtuple
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "BUCKETS",
    "QUEUES",
    "TAKING",
    "builds_if_called",
    "calls_batcher",
    "creates_record_source",
    "is_batch_elsewhere",
    "is_looked_up",
    "is_queue_statement",
    "may_build_part",
    "name_elsewhere",
    "takes_batch",
]

_OF_QUEUES = {"QC701", "QC702", "QC704"}
TAKING = ("dequeue", "dequeue_many", "dequeue_up_to")
_BATCHING = ("dequeue_many", "dequeue_up_to")
_BATCHERS = ("batch", "batch_join", "bucket", "bucket_by_sequence_length", "rejection_sample", "stratified_sample")
# The parameters of each kind of queue that a program may create itself.
QUEUES: Dict[str, Tuple[str, ...]] = {
    "tf.FIFOQueue": ("capacity", "dtypes", "shapes", "names", "shared_name", "name"),
    "tf.PaddingFIFOQueue": ("capacity", "dtypes", "shapes", "names", "shared_name", "name"),
    "tf.RandomShuffleQueue": ("capacity", "min_after_dequeue", "dtypes", "shapes", "names", "seed", "shared_name"),
}
BUCKETS = {"tf.contrib.training.bucket", "tf.contrib.training.bucket_by_sequence_length"}


def is_queue_statement(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* builds a part of a queue pipeline, itself or through functions that it calls."""
    elsewhere = source.batches_elsewhere | source.parts_elsewhere.keys()
    facts = source.once(_facts)[0]
    return any(facts.is_part(one) or not elsewhere.isdisjoint(facts.names(one)) for one in reachable(source, node))


def may_build_part(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* may build a part by a call that only a run resolves: ``data.example()``, ``READERS[name]()``."""
    facts = source.once(_facts)[0]
    return any(
        facts.looks_up(one)
        or not source.possible_parts.isdisjoint(facts.names(one))
        or any(not may_mean(source, call.func) for call in facts.calls_of(one, source.possible_parts))
        for one in reachable(source, node)
    )


def builds_if_called(source: Source, function: cst.BaseExpression) -> bool:
    """Whether *function*, an expression, is a function that builds a part of a pipeline when it is called."""
    if isinstance(function, cst.Lambda):
        return is_queue_statement(source, function.body)
    if not isinstance(function, (cst.Attribute, cst.Name)):
        return False
    if source.names.full(function) in source.batches_elsewhere | source.parts_elsewhere.keys():
        return True
    own = definition(source, function)
    return isinstance(own, cst.FunctionDef) and is_queue_statement(source, own)


class _Facts:
    """Facts about single nodes of a file, without the functions that these call; each fact is cached."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parts: Dict[cst.CSTNode, bool] = {}
        self._calls: Dict[cst.CSTNode, Tuple[FrozenSet[str], bool, Dict[str, List[cst.Call]]]] = {}

    def is_part(self, node: cst.CSTNode) -> bool:
        """Whether the node names a part of a pipeline, or dequeues from a queue."""
        if node not in self._parts:
            source, calls = self._source, list(self._source.every(cst.Call, node))
            of_readers = source.once(_calls_of_readers)
            self._parts[node] = (
                any(_is_of_queues(source, part) for part in source.every(cst.Attribute, node))
                or any(_is_of_queues(source, call.func) for call in calls if isinstance(call.func, cst.Name))
                or any(call in of_readers for call in calls)
                or any(method(call) == "dequeue" and _takes_number(source, call) for call in calls)
            )
        return self._parts[node]

    def names(self, node: cst.CSTNode) -> FrozenSet[str]:
        """The names, as this file spells them, of functions of other files that the node may call."""
        return self._called(node)[0]

    def looks_up(self, node: cst.CSTNode) -> bool:
        return self._called(node)[1]

    def calls_of(self, node: cst.CSTNode, methods: FrozenSet[str]) -> Iterator[cst.Call]:
        """The node's calls of methods of unknown objects whose name is in *methods*."""
        by_name = self._called(node)[2]
        for name in methods & by_name.keys():
            yield from by_name[name]

    def _called(self, node: cst.CSTNode) -> Tuple[FrozenSet[str], bool, Dict[str, List[cst.Call]]]:
        if node not in self._calls:
            source, calls = self._source, list(self._source.every(cst.Call, node))
            methods: Dict[str, List[cst.Call]] = {}
            for call in calls:
                if isinstance(call.func, cst.Attribute) and source.names.full(call.func) is None:
                    methods.setdefault(call.func.attr.value, []).append(call)
            names = frozenset(filter(None, (name_elsewhere(source, call) for call in calls)))
            self._calls[node] = names, any(is_looked_up(source, call) for call in calls), methods
        return self._calls[node]


def _facts(source: Source) -> Iterator[_Facts]:
    yield _Facts(source)


def is_looked_up(source: Source, call: cst.Call) -> bool:
    """Whether only a run tells what *call* calls: ``READERS[name]()``, ``getattr(...)()``, or a variable."""
    function = call.func
    if isinstance(function, cst.Call):
        return isinstance(function.func, cst.Name) and function.func.value == "getattr"
    if makes_namedtuple(source, call):
        return False
    made = source.names.definitions(function) if isinstance(function, cst.Name) else []
    return isinstance(function, cst.Subscript) or any(source.around(one, cst.Assign) is not None for one in made)


def creates_record_source(source: Source, call: cst.Call) -> bool:
    """Whether *call* creates a producer or a queue, or builds a part of a pipeline in another file."""
    symbol = source.names.symbol(call.func)
    is_own = symbol.endswith(("_input_producer", ".input_producer", "Queue", "limit_epochs")) or ".contrib." in symbol
    return is_own or name_elsewhere(source, call) in source.batches_elsewhere | source.parts_elsewhere.keys()


def calls_batcher(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* calls a batcher, or a function of this file that calls one."""
    for one in reachable(source, node):
        if isinstance(one, cst.ClassDef):
            return False  # batches come from its methods, not from creating its objects
        for call in every(one, cst.Call):
            if source.names.symbol(call.func).endswith(_BATCHERS) or is_batch_elsewhere(source, call):
                return True
            if takes_batch(source, call):
                return True
            if method(call) in TAKING and call in source.once(_calls_of_readers):
                return True
    return False


def takes_batch(source: Source, call: cst.Call) -> bool:
    """Whether *call* dequeues several elements at once from a queue that the file creates and assigns to a name.

    In a function without a batcher, dequeuing a batch's number counts too:
    ``i = tf.train.range_input_producer(n).dequeue()``.
    """
    if method(call) == "dequeue":
        return _takes_number(source, call)
    return method(call) in _BATCHING and any(source.names.symbol(one.func) in QUEUES for one in _made(source, call))


def _takes_number(source: Source, call: cst.Call) -> bool:
    queue = call.func.value if isinstance(call.func, cst.Attribute) else None
    made = [queue] if isinstance(queue, cst.Call) else list(_made(source, call))
    if not any(source.names.symbol(one.func) == "tf.train.range_input_producer" for one in made):
        return False
    around = source.around(call, cst.FunctionDef) or source.tree
    return not any(source.names.symbol(one.func).endswith(_BATCHERS) for one in source.every(cst.Call, around))


def is_batch_elsewhere(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a function of another file that returns batches."""
    return bool(source.batches_elsewhere) and name_elsewhere(source, call) in source.batches_elsewhere


def name_elsewhere(source: Source, call: cst.Call) -> Optional[str]:
    """The name, as this file spells it, of the function of another file that *call* may call."""
    named = source.names.full(call.func)
    if named is None and isinstance(call.func, cst.Name) and not source.names.definitions(call.func):
        named = call.func.value  # from ``from reader import *``
    elif named is None and isinstance(call.func, cst.Attribute):
        named = source.code(call.func)  # a method of an object that is created in this file
    return named


def _calls_of_readers(source: Source) -> Iterator[cst.Call]:
    """``reader = ImageReader(...)`` and ``reader.dequeue(...)``: a class outside TensorFlow that hides its queues."""
    for call in source.every(cst.Call):
        if method(call) in TAKING:
            for value in _made(source, call):
                if not source.names.symbol(value.func):
                    yield from (value, call)


def _made(source: Source, call: cst.Call) -> Iterator[cst.Call]:
    """The calls that created the object, held by a plain name, whose method *call* calls."""
    if isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.Name):
        values = map(source.assigned_value, source.names.definitions(call.func.value))
        yield from (one for one in values if isinstance(one, cst.Call))


def _is_of_queues(source: Source, node: cst.CSTNode) -> bool:
    row = api.find(source.names.symbol(node))
    # contrib also had much that is not part of queue pipelines.
    return row is not None and (row.code in _OF_QUEUES or (row.code == "QC706" and row.status == "compiled"))
