"""Finds the pipelines of a block: the statements that build each, and the names of its batch."""

from __future__ import annotations

import dataclasses
from typing import Any, FrozenSet, Iterator, List, Optional, Sequence, Set

import libcst as cst

from queuecompat._analysis.op_facts import varies_per_record
from queuecompat.migrate.analysis.call_graph import callee, calls_of, reachable
from queuecompat.migrate.analysis.fed_queues import is_fed_queue
from queuecompat.migrate.analysis.needed_names import needed_names
from queuecompat.migrate.analysis.queue_statements import (
    builds_if_called,
    calls_batcher,
    creates_record_source,
    is_looked_up,
    is_queue_statement,
    may_build_part,
    name_elsewhere,
)
from queuecompat.migrate.analysis.statements import (
    Statement,
    always_bound,
    assigned_names,
    bare,
    defs,
    free_names,
    may_write,
    names_of,
    parts_of,
    target_of,
    uses,
    value_of,
    why_not_plain,
)
from queuecompat.migrate.analysis.templates import template_in
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.batched import require_a_batch
from queuecompat.migrate.rewrite.sessions.objects import require_unshared_attributes
from queuecompat.migrate.rewrite.sessions.plumbing import MONITORED, Plumbing
from queuecompat.migrate.rewrite.sessions.purity import require_pure
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Input", "inputs_of"]

_LEAVING = (cst.Await, cst.Break, cst.ClassDef, cst.Continue, cst.Return, cst.Try, cst.While, cst.With, cst.Yield)
_STARTING = {"tf.train.Supervisor", "tf.train.queue_runner.start_queue_runners", "tf.train.start_queue_runners"}


@dataclasses.dataclass
class Input:
    """One pipeline.

    Attributes:
      statements: the statements that build it, or the one that calls a function which does.
      batch: the target of the last one: the name or names of a batch.
      is_prepared: whether its last statements change the batch under its own names.
      unread: names of the target that nothing reads: the ``_`` of ``images, _ = inputs()``.
    """

    statements: List[Statement]
    batch: cst.BaseExpression
    is_prepared: bool = False
    unread: FrozenSet[str] = frozenset()

    @property
    def names(self) -> List[str]:
        """The names of a batch."""
        return [name for name in assigned_names(self.batch) if name not in self.unread]

    def parameters(self, source: Source) -> List[str]:
        """The names that the statements read before they assign them another value."""
        changed: Set[str] = set().union(*(may_write(source, line) for line in self.statements))
        found: List[str] = []
        given: Set[str] = set()
        for line in self.statements:
            for name in sorted((_read_by(line) & changed) - given - set(found)):
                if any(name in assigned_names(turns.target) for turns in every(line, cst.CompFor)):
                    raise refused("two-meanings", line, name=name)
                found.append(name)
            given |= always_bound(line)
        return found


def inputs_of(source: Source, plumbing: Plumbing) -> List[Input]:
    """The pipelines, in the order of the text.

    Raises:
      UnsupportedPatternError: there is none, or one is not built by plain statements that end in a batcher.
    """
    flat = plumbing.statements
    places = [place for place, one in enumerate(flat) if _builds(source, one)]
    if not places:
        _require_no_methods(source, flat)
        _require_no_lookups(source, flat)
        first = next((one for one in flat if plumbing.runs(one)), flat[0] if flat else cst.Pass())
        if plumbing.monitored or any(_starts_queues(source, one) for one in flat):
            raise refused("no-pipeline", first)
        raise refused("no-queues", first)
    found: List[Input] = []
    begin: Optional[int] = None
    free = 0
    for place in places:
        begin = place if begin is None else begin
        if calls_batcher(source, flat[place]):
            begin, free = _begin_of_records(source, flat, free, begin, place), place + 1
            found.append(_prepared(source, flat, place, _input(source, flat, begin, place, plumbing)))
            begin = None
    if begin is not None:
        _require_no_methods(source, flat)
        raise _no_batch(source, flat[places[-1]])
    _require_separate_pipelines(source, flat, found, plumbing)
    rest = [line for line in flat if not any(line in one.statements for one in found)]
    _require_no_others(source, [line for line in rest if not (plumbing.runs(line) or uses(line) & plumbing.names)])
    return found


def _starts_queues(source: Source, line: Statement) -> bool:
    """Whether *line* starts queues, or creates a session that starts them itself."""
    calls = list(every(line, cst.Call))
    symbols = (source.names.symbol(call.func) for call in calls)
    return any(one in MONITORED or one in _STARTING for one in symbols) or any(
        method(call) == "create_threads" for call in calls
    )


def _require_no_methods(source: Source, flat: Sequence[Statement]) -> None:
    """Refuses a block for which a method of a class builds the pipeline."""
    building = _building_methods(source)
    for line in flat:
        for call in every(line, cst.Call):
            if method(call) in building:
                raise refused("method-builds", line, method=method(call))
            if method(call) in source.possible_parts and not hasattr(dict, method(call)):
                if isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.Subscript):
                    raise refused("called-by-lookup", line, call=source.code(call.func))
                raise refused("method-may-build", line, method=method(call))


def _building_methods(source: Source) -> Set[str]:
    """The names of methods of this file that build parts of a pipeline."""
    methods = [one for kind in source.every(cst.ClassDef) for one in every(kind, cst.FunctionDef)]
    return {one.name.value for one in methods if is_queue_statement(source, one)}


def _require_no_lookups(source: Source, flat: Sequence[Statement]) -> None:
    """Refuses a call that is resolved only at run time and may build the pipeline: ``DATASETS[name](files)``."""
    for line in flat:
        target = target_of(line)
        value = None if target is None else value_of(line)
        for one in () if value is None else reachable(source, value):
            for call in every(one, cst.Call):
                if is_looked_up(source, call) or name_elsewhere(source, call) in source.possible_parts:
                    raise refused("called-by-lookup", line, call=source.code(call.func))


def _require_no_others(source: Source, rest: Sequence[Statement]) -> None:
    """Refuses *rest*, the lines of a block beside its pipelines and session, if they may build another pipeline."""
    building = _building_methods(source)
    for line in rest:
        for call in () if isinstance(line, (cst.ClassDef, cst.FunctionDef)) else every(line, cst.Call):
            is_unknown = source.names.full(call.func) is None and callee(source, call) is None
            if is_unknown and method(call) in building:
                raise refused("method-builds", line, method=method(call))
            if _may_call_pipeline(source, call):
                raise refused("called-by-lookup", line, call=source.code(call.func))


def _may_call_pipeline(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a variable, or an item of one, that was assigned a function which builds a pipeline."""
    named = call.func.value if isinstance(call.func, cst.Subscript) else call.func
    if not isinstance(named, cst.Name) or not is_looked_up(source, call):
        return False
    lines = (source.around(one, cst.Assign) for one in source.names.definitions(named))
    kinds = (cst.Attribute, cst.Lambda, cst.Name)
    values = (value for line in lines if line is not None for kind in kinds for value in every(line.value, kind))
    return any(builds_if_called(source, value) for value in values)


def _begin_of_records(source: Source, flat: Sequence[Statement], first: int, begin: int, end: int) -> int:
    """Where a pipeline begins: at *begin* if it makes its own records, else at an earlier line that may make them.

    Args:
      first: the first line that may belong to the pipeline.

    Raises:
      UnsupportedPatternError: its records may come from elsewhere.
    """
    statements = flat[begin : end + 1]
    calls = calls_of(source, *statements)
    if any(creates_record_source(source, call) for call in calls) or any(_draws(source, one) for one in statements):
        return begin
    wanted = list(_batched_names(flat[end]))
    for place in reversed(range(first, end)):
        line = flat[place]
        if isinstance(line, (cst.ClassDef, cst.FunctionDef)) or _draws(source, line):
            continue
        if may_write(source, line) & {one.value for one in wanted}:
            wanted += every(value_of(line) or line, cst.Name)
            begin = place if place < begin and may_build_part(source, line) else begin
    if not any(_takes_rows(source, call) for call in calls) and _may_come_from_elsewhere(source, wanted, flat):
        raise refused("records-unknown", flat[end])
    return begin


def _takes_rows(source: Source, call: cst.Call) -> bool:
    many = argument(call, "enqueue_many")
    return many is not None and source.code(many) != "False"


def _batched_names(line: Statement) -> Iterator[cst.Name]:
    """The names in the expression that *line* batches."""
    value = value_of(line)
    yield from every(value.args[0] if isinstance(value, cst.Call) and value.args else line, cst.Name)


def _may_come_from_elsewhere(source: Source, names: List[cst.Name], flat: Sequence[Statement]) -> bool:
    """Whether one of *names* may hold a tensor of a pipeline that a caller passes, or that another block creates."""
    for name in names:
        for place in source.names.definitions(name):
            line = source.around(place, cst.Assign)
            if isinstance(place, cst.Param) or isinstance(source.parents.get(place), cst.Param):
                return True
            if line is not None and source.parents.get(line) not in flat:
                if is_queue_statement(source, line) or may_build_part(source, line):
                    return True
                names += [one for one in every(line.value, cst.Name) if one not in names]
    return False


def _no_batch(source: Source, line: Statement) -> UnsupportedPatternError:
    called = list(reachable(source, line))
    fed = next((call for one in called for call in every(one, cst.Call) if is_fed_queue(source, call)), None)
    if fed is not None:
        return refused("fed-queue", line, call=source.code(fed.func))
    classes = [one.name.value for one in called[1:] if isinstance(one, cst.ClassDef)]
    calls = (call for one in called for call in every(one, cst.Call))
    classes += [source.parts_elsewhere.get(name_elsewhere(source, call) or "", "") for call in calls]
    hiding = next(filter(None, classes), None)
    if hiding is not None:
        return refused("batch-in-object", line, name=hiding)
    computing = next((call for call in every(line, cst.Call) if _builds_part(source, call)), None)
    if computing is not None:
        return refused("not-the-batch", line, call=source.code(computing.func))
    return refused("no-batcher", line)


def _builds_part(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a function, of this file or of another, that builds a pipeline, or a part of one."""
    own = callee(source, call)
    if own is not None:
        return isinstance(own, cst.FunctionDef) and is_queue_statement(source, own)
    return name_elsewhere(source, call) in source.parts_elsewhere


def _builds(source: Source, one: Statement) -> bool:
    is_definition = isinstance(one, (cst.ClassDef, cst.FunctionDef)) or _holds_functions(value_of(one))
    return not is_definition and is_queue_statement(source, one)


def _holds_functions(value: Optional[cst.BaseExpression]) -> bool:
    """Whether *value* is a ``lambda``, or a dict, list or tuple of functions: nothing in it runs yet."""
    if isinstance(value, (cst.Dict, cst.List, cst.Tuple)):
        return any(_holds_functions(element.value) for element in value.elements)
    return isinstance(value, cst.Lambda)


def _input(source: Source, flat: Sequence[Statement], begin: int, end: int, plumbing: Plumbing) -> Input:
    statements = list(flat[begin : end + 1])
    statements[1:1] = _drawn_before(source, flat[:begin], statements, flat[end + 1 :])
    coordinators = _coordinators(source, flat[:begin], statements)
    names = plumbing.names.difference(name for line in coordinators for name in names_of(line))
    statements[:0] = coordinators
    for one in statements:
        if not isinstance(one, cst.SimpleStatementLine) and not _may_move(source, one):
            raise refused("pipeline-in-block", one)
        if uses(one) & names:
            raise refused("pipeline-uses-session", one)
    _require_bound(source, statements)
    batch = _batch_of(source, statements[-1])
    for one in statements:
        _require_one_batch(source, one)
    require_a_batch(source, statements, assigned_names(batch))
    require_unshared_attributes(source, *statements)
    unread = frozenset() if _is_read(source, "_") else frozenset(["_"])
    return Input(statements, batch, unread=unread)


def _may_move(source: Source, one: Statement) -> bool:
    """Whether a block may move into a function: a ``for`` or ``if`` that batches nothing and has no jumps."""
    if not isinstance(one, (cst.For, cst.If)) or calls_batcher(source, one):
        return False
    return not any(isinstance(part, _LEAVING) for part in parts_of(one))


def _require_bound(source: Source, statements: Sequence[Statement]) -> None:
    """Requires that no later statement reads a name that only a block may have assigned: it may have an older value."""
    bound: Set[str] = set()
    blocks: List[Statement] = []
    for line in statements:
        needed = needed_names([line]) - bound
        for block in blocks:
            if needed & defs(block):
                raise refused("pipeline-in-block", block)
        bound |= always_bound(line)
        if not isinstance(line, cst.SimpleStatementLine):
            blocks.append(line)


def _is_read(source: Source, name: str) -> bool:
    """Whether *name* is used anywhere except as a target."""
    targets: List[cst.CSTNode] = [one.target for one in source.every(cst.AssignTarget)]
    targets += [one.target for one in source.every(cst.CompFor)] + [one.target for one in source.every(cst.For)]
    given = {part for one in targets for part in every(one, cst.Name)}
    given |= {one.name for one in source.every(cst.Param)}
    return any(one.value == name and one not in given for one in source.every(cst.Name))


def _drawn_before(
    source: Source, before: Sequence[Statement], statements: Sequence[Statement], after: Sequence[Statement]
) -> List[Statement]:
    """The lines before a pipeline that draw random numbers which it uses for each record; they belong to it.

    Raises:
      UnsupportedPatternError: something else uses these numbers, or the first statement does.
    """
    wanted: Set[str] = set().union(*map(uses, statements))
    found: List[Statement] = []
    changed: Set[str] = set()
    for line in reversed(before):
        names = set(names_of(line)) if isinstance(line, cst.SimpleStatementLine) else set()
        if names & wanted and _draws(source, line):
            others = [one for one in (*before, *after, statements[0]) if one is not line and one not in found]
            if uses(line) & changed or any(uses(one) & names for one in others):
                raise refused("recomputed", line, name=sorted(names)[0])
            found.insert(0, line)
            wanted |= uses(line)
        changed |= may_write(source, line)
    return found


def _coordinators(source: Source, before: Sequence[Statement], statements: Sequence[Statement]) -> List[Statement]:
    """The lines before a pipeline that create coordinators which it passes on: ``reader = ImageReader(files, coord)``.

    The pipeline gets one of its own, which nothing stops: its threads, for which it was meant, are gone.
    """
    arguments = [one for line in statements for one in every(line, cst.Arg)]
    values, keywords = {one.value for one in arguments}, {one.keyword for one in arguments}
    named = [one for line in statements for one in every(line, cst.Name) if one not in keywords]
    found: List[Statement] = []
    for line in before:
        value = value_of(line)
        if isinstance(value, cst.Call) and source.names.symbol(value.func) == "tf.train.Coordinator":
            own = [one for one in named if one.value in names_of(line)]
            if own and all(one in values for one in own):
                found.append(line)
    return found


def _draws(source: Source, line: Statement) -> bool:
    return any(varies_per_record(source.names.symbol(call.func)) for call in calls_of(source, line))


def _batch_of(source: Source, line: Statement) -> cst.BaseExpression:
    """The target to which *line* assigns a batch."""
    batch = target_of(line)
    if batch is None:
        raise refused(why_not_plain(line) or "batch-not-plain", line)
    if not assigned_names(batch):
        raise refused("batch-target", line, target=source.code(bare(batch)))
    return batch


def _prepared(source: Source, flat: Sequence[Statement], end: int, found: Input) -> Input:
    """*found*, with the statements after it that change the batch under its own names: ``images = images / 255.0``.

    They could also go into the loop; but if the program asks for a batch's type or shape, it means that of their
    result.
    """
    described = any(_describes(source, one, found) for one in flat[end + 1 :])
    bound = {name for one in flat for name in may_write(source, one)}
    for line in flat[end + 1 :] if described else []:
        names = names_of(line) if target_of(line) is not None else []
        if not names or not set(names) <= set(found.names) or uses(line) & bound - set(found.names):
            break
        try:
            require_pure(source, line, line, tensors=set(found.names))
        except UnsupportedPatternError:
            break
        if any(template_in(source, call) for call in every(line, cst.Call)):
            break
        found.statements.append(line)
        found.is_prepared = True
    return found


def _describes(source: Source, one: Statement, found: Input) -> bool:
    """Whether *one* asks for the type or shape of a batch."""
    names = (name for name in every(one, cst.Name) if name.value in found.names)
    around = (source.parents.get(name) for name in names)
    return any(
        isinstance(part, cst.Attribute) and part.attr.value in ("dtype", "get_shape", "shape") for part in around
    )


def _require_separate_pipelines(
    source: Source, flat: Sequence[Statement], inputs: Sequence[Input], plumbing: Plumbing
) -> None:
    """Requires that values made inside a pipeline are used by it alone, and that batches do not share names.

    Other uses of a coordinator are removed with the rest of the *plumbing*.
    """
    taken: List[str] = []
    for one in inputs:
        written = set().union(*(may_write(source, line) for line in one.statements))
        inner = written - {*one.names, *one.unread, *plumbing.names}
        last = flat.index(one.statements[-1])
        for other in flat[:last]:
            shared = free_names(other) & inner if isinstance(other, (cst.ClassDef, cst.FunctionDef)) else set()
            if shared:
                raise refused("between-queues", other, name=sorted(shared)[0])
        inner &= needed_names(flat[last + 1 :])  # a name that is assigned again there has another value
        for other in flat[last + 1 :]:
            if uses(other) & inner:
                raise refused("between-queues", other, name=sorted(uses(other) & inner)[0])
        if any(uses(line) & set(taken) for line in one.statements):
            raise refused("batch-names-shared", one.statements[-1])
        taken += one.names


def _read_by(line: Statement) -> Set[str]:
    """The names that a line reads, not those that it only assigns."""
    if isinstance(line, (cst.For, cst.If)):
        return needed_names([line])
    if any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in parts_of(line)):
        return set()
    annotated = [one.value for one in every(line, cst.AnnAssign) if one.value is not None]
    if annotated:
        return set().union(*map(uses, annotated))
    value = value_of(line)
    return uses(line if value is None else value)


def _require_one_batch(source: Source, statement: Statement) -> None:
    """Refuses two batches that are drawn together: a graph would draw only the one that is fetched."""
    for node in reachable(source, statement, kind=cst.FunctionDef):
        if any(_has_two_batches(source, part) for part in parts_of(node)):
            raise refused("two-batches", statement)


def _has_two_batches(source: Source, part: cst.CSTNode) -> bool:
    """Whether *part* repeats a batcher, lists several batches, or batches twice without using the first batch."""
    if isinstance(part, cst.IndentedBlock):
        lines: List[Any] = [one for one in part.body if value_of(one) is not None and calls_batcher(source, one)]  # type: ignore[arg-type]
        return any(not uses(second) & set(names_of(first)) for first, second in zip(lines, lines[1:]))
    is_list = isinstance(part, (cst.List, cst.Tuple)) and len(part.elements) > 1
    is_repeated = isinstance(part, (cst.BaseComp, cst.For, cst.While))
    return (is_list or is_repeated) and calls_batcher(source, part)
