"""``--to as-dataset``: input functions become datasets, and the loop that ran a session iterates over them.

A file is rewritten when all of it is of the classic shape (``sessions``); else a comment marks the place that is not,
and the program goes on as it was. A file of input functions alone gets them decorated.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE, definition, is_in_a_pipeline
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.statements import Statement, UnsupportedPatternError, bound_by, defs, uses
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.imports.dimensions import without_dimensions
from queuecompat.migrate.rewrite.imports.eager_imports import eager_imports, tensorflow_name
from queuecompat.migrate.rewrite.imports.graph_mode import without_graph_mode
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.sessions.batched import require_returned_batches
from queuecompat.migrate.rewrite.sessions.classic import Classic, classic
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.rewrite.sessions.iterator_loops import drawn
from queuecompat.migrate.rewrite.sessions.loops import looped
from queuecompat.migrate.rewrite.sessions.run_lines import RunLines
from queuecompat.migrate.rewrite.sessions.single_loop import single_loop
from queuecompat.migrate.rewrite.sessions.templates import calls_of
from queuecompat.migrate.rewrite.todo_comments import commented
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import argument, children, every, method
from queuecompat.migrate.source.parsing import Source, parsed

__all__ = ["Pipeline", "Replacements", "as_dataset", "rewritten_as"]

_SESSIONS = (
    "tf.InteractiveSession", "tf.Session", "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession",
    "tf.train.SingularMonitoredSession", "tf.train.Supervisor", "tf.train.start_queue_runners",
)  # fmt: skip

_OF_QUEUES = {"QC701", "QC702", "QC703", "QC704", "QC705", "QC706"}


@dataclasses.dataclass
class Pipeline:
    """An input function on its way to be one that gives a dataset.

    Attributes:
      function: of the file; None for statements that are to become one.
      name: of it.
      statements: its body, or those statements; the last one returns or assigns a batch.
    """

    function: Optional[cst.FunctionDef]
    name: str
    statements: Sequence[Statement]


# They take what a reader or a queue holds.
_READING = {"dequeue", "dequeue_many", "dequeue_up_to", "read", "read_up_to"}

# What becomes of an input function, and of helpers that change with it; None stands for a function that is new.
Replacements = Dict[Optional[cst.CSTNode], Any]
Way = Callable[[Source, Pipeline, str], Replacements]


def as_dataset(source: Source) -> Rewritten:
    """*source* with ``@queuecompat.input_pipeline`` on its input functions."""
    return rewritten_as(source, _decorated, "QC743", ["queuecompat"])


def rewritten_as(
    source: Source, way: Way, code: str, imports: Sequence[str], *, takes_decorated: bool = False
) -> Rewritten:
    """*source* with its input functions replaced by what *way* makes of them, and its loops.

    Args:
      code: of what is left.
      imports: modules that the new functions need.
      takes_decorated: *way* takes input functions that are decorated already, too.
    """
    tensorflow = tensorflow_name(source)
    if tensorflow is None or not any(use.row.code in _OF_QUEUES for use in source.once(mentions)):
        return Rewritten(source.text)
    try:
        changes = _Changes(source, way, tensorflow, takes_decorated)
        if not changes:
            # Classes build pipelines for the input functions of other files.
            is_used = not takes_decorated and any(is_queue_statement(source, one) for one in source.every(cst.ClassDef))
            return Rewritten(source.with_tree(eager_imports(source, source.tree, [])) if is_used else source.text)
        text = without_graph_mode(source, source.with_tree(eager_imports(source, changes.applied(), imports)))
        text = without_dimensions(source, text)
        _require_names(source, parsed(source.file, text))
    except UnsupportedPatternError as other:
        return commented(source, code, other)
    return Rewritten(text, changes.told)


def _require_names(source: Source, new: Source) -> None:
    """Whether ``tensorflow.compat.v1``, which the new source imports, has all names that it uses.

    In an input function tf.contrib is there, too, while it becomes a dataset.
    """
    for use in new.once(mentions):
        in_contrib = use.row.code in ("QC706", "QC709") and use.row.status != "gone"
        if use.row.status in ("gone", "renamed") or (in_contrib and not is_in_a_pipeline(new, use.node)):
            node = next((one.node for one in source.once(mentions) if one.written == use.written), source.tree.body[0])
            raise UnsupportedPatternError(node, f"'{use.written}' is not in tensorflow.compat.v1")


class _Changes:
    """All nodes of a file that change, and what becomes of them.

    Attributes:
      told: what users have to know of it.
    """

    def __init__(self, source: Source, way: Way, tensorflow: str, takes_decorated: bool) -> None:
        self._source, self._way, self._tf = source, way, tensorflow
        self._new: Replacements = {}
        self._helpers: List[cst.CSTNode] = []
        self._pipelines: List[cst.CSTNode] = []
        self._calls: List[cst.CSTNode] = []
        self._module: Optional[cst.Module] = None
        self.told: List[Finding] = []
        runners = [one for one in _blocks(source) if _runs(source, one[1])]
        self._runners = [node for node, _ in runners]
        for node, statements in runners:
            self._rewrite(node, classic(source, statements))
        functions = _input_functions(source)
        for function in functions:
            if function not in self._new:
                self._replace(function)
                require_returned_batches(source, function)  # behind it: the way may know better what is wrong
                self.told.append(source.found("QC746", function, call=function.name.value))
        for function in functions:
            _require_own_records(source, function)  # the other reasons say more
        if takes_decorated:
            for function in source.every(cst.FunctionDef):
                if _is_decorated(source, function):
                    self._replace(function)
        self._require_all_calls()

    def __bool__(self) -> bool:
        return bool(self._new) or self._module is not None

    def applied(self) -> cst.Module:
        new = {old: one for old, one in self._new.items() if old is not None}
        parents = self._source.parents if self._module is None else None
        result: cst.Module = replaced(self._module or self._source.tree, new, parents)
        return result

    def _rewrite(self, node: cst.CSTNode, parts: Classic) -> None:
        lines = RunLines(self._source, parts, self._tf)
        made = [self._made(one, lines) for one in parts.inputs]
        datasets, pipelines = [dataset for dataset, _ in made], [pipeline for _, pipeline in made]
        single = single_loop(self._source, parts)
        if single is not None:
            new = looped(self._source, parts, single, lines, datasets[0], pipelines[0])
        else:
            new = drawn(self._source, parts, lines, datasets, pipelines)
        block: Any = node.body if isinstance(node, cst.FunctionDef) else self._source.tree
        block = block.with_changes(body=new, footer=[*parts.left, *block.footer])
        if isinstance(node, cst.FunctionDef):
            self._new[node] = node.with_changes(body=block)
        else:
            self._module = block

    def _made(self, one: Input, lines: RunLines) -> Tuple[str, List[Any]]:
        """The expression that gives the dataset of a pipeline, and the function that it calls, if that is new."""
        function, call = self._called(one)
        if function is not None:
            self._replace(function)
            return call, []
        name = lines.unused("input_pipeline")
        statements = list(one.statements)
        if one.is_prepared:
            batch = self._source.code(one.batch)
            statements.append(lines.statement(f"{batch} = {batch}"))
        found = self._way(self._source, Pipeline(None, name, statements), self._tf)
        pipeline = found.pop(None)
        self._add(found, None)
        names = one.parameters(self._source)
        parameters = [cst.Param(cst.Name(parameter)) for parameter in names]
        pipeline = pipeline.with_changes(params=cst.Parameters(parameters))
        return f"{name}({', '.join(names)})", [pipeline]

    def _called(self, one: Input) -> Tuple[Optional[cst.FunctionDef], str]:
        """The function that the pipeline is, where it is a single call of one, and that call."""
        statement = one.statements[0].body[0] if len(one.statements) == 1 else None  # type: ignore[index]
        value = statement.value if isinstance(statement, cst.Assign) else None
        function = definition(self._source, value.func) if isinstance(value, cst.Call) else None
        if value is None or not isinstance(function, cst.FunctionDef):
            return None, ""
        self._calls.append(value)
        return function, self._source.code(value)

    def _is_known(self, call: cst.Call, called: Any) -> bool:
        return called in self._pipelines and (call in self._calls or _is_decorated(self._source, called))

    def _replace(self, function: cst.FunctionDef) -> None:
        if function not in self._new:
            self._pipelines.append(function)
            pipeline = Pipeline(function, function.name.value, list(function.body.body))  # type: ignore[arg-type]
            self._add(self._way(self._source, pipeline, self._tf), function)

    def _add(self, found: Replacements, function: Optional[cst.FunctionDef]) -> None:
        self._new.update(found)
        self._helpers += [one for one in found if one is not None and one is not function]

    def _require_all_calls(self) -> None:
        """A function that changes has to change for all who call it."""
        for call in self._source.every(cst.Call):
            called = definition(self._source, call.func)
            if called in self._helpers:
                self._helpers.remove(called)
            elif called in self._new and called not in self._runners and not self._is_known(call, called):
                raise UnsupportedPatternError(call, f"'{self._source.code(call.func)}' is called here, too")


def _blocks(source: Source) -> List[Tuple[cst.CSTNode, Sequence[Any]]]:
    """The module and each of its functions, with the statements of each; classes are nobody's."""
    functions = [one for one in source.every(cst.FunctionDef) if isinstance(one.body, cst.IndentedBlock)]
    return [(source.tree, source.tree.body), *((one, one.body.body) for one in functions)]


def _runs(source: Source, statements: Sequence[cst.CSTNode]) -> bool:
    """Whether a session is made by *statements* themselves, and not by the functions that they define."""
    nodes = (node for one in statements for node in _own_nodes(one))
    return any(isinstance(node, cst.Call) and source.names.symbol(node.func) in _SESSIONS for node in nodes)


def _own_nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """*root* and what is below it, without the bodies of functions."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, cst.FunctionDef):
            waiting.extend(children(node))


def _input_functions(source: Source) -> List[cst.FunctionDef]:
    """The functions without sessions that return batches, and that no other function of the file calls."""
    functions = [one for one in source.once(_batch_functions) if one in source.tree.body]
    functions = [one for one in functions if not _runs(source, one.body.body)]
    called = {definition(source, call.func) for call in source.every(cst.Call)}
    return [one for one in functions if one not in called and not _is_decorated(source, one)]


def _require_own_records(source: Source, function: cst.FunctionDef) -> None:
    """Refuses a function that batches or reads what its caller passes to it: only the caller is a whole pipeline.

    Rows of arrays may come from a caller: ``tf.train.batch([images, labels], 8, enqueue_many=True)``.
    """
    parameters = {one.name.value for one in every(function.params, cst.Param)}
    if any(_makes_records(source, call) for call in calls_of(source, function)):
        return
    for call in source.every(cst.Call, function.body):
        is_batcher = source.names.symbol(call.func) in BATCHERS
        if not is_batcher and method(call) not in _READING:
            continue
        many = argument(call, "enqueue_many")
        if is_batcher and many is not None and source.code(many) != "False":
            continue
        passed = sorted(parameters & _behind(function, call))
        if passed:
            what = f"'{source.code(call.func)}' gets '{passed[0]}', which the caller of '{function.name.value}' passes"
            raise UnsupportedPatternError(
                function, f"{what}: only a function that makes its own records can be changed"
            )


def _makes_records(source: Source, call: cst.Call) -> bool:
    """Whether a call makes a producer or a queue of the program's own."""
    symbol = source.names.symbol(call.func)
    return symbol.endswith(("_input_producer", ".input_producer", "Queue", "limit_epochs")) or ".contrib." in symbol


def _behind(function: cst.FunctionDef, call: cst.Call) -> Set[str]:
    """The names that the first argument of *call* is computed from, in the statements of *function*."""
    found = set(uses(call.args[0])) if call.args else set()
    for line in reversed(list(every(function.body, cst.Assign))):
        if any(defs(target) & found for target in line.targets):
            found |= uses(line.value)
    return found


def _batch_functions(source: Source) -> Iterator[cst.FunctionDef]:
    """The functions that return batches: their own, or those of such a function of the file."""
    functions = list(source.every(cst.FunctionDef))
    found: List[cst.FunctionDef] = []
    more = True
    while more:
        before = len(found)
        found += [one for one in functions if one not in found and _returns_batches(source, one, found)]
        more = len(found) > before
    return (one for one in functions if one in found)


def _returns_batches(source: Source, function: cst.FunctionDef, others: Sequence[cst.FunctionDef]) -> bool:
    """Whether *function* has a batcher and returns something, or returns what one of *others* gave it."""
    nodes = list(_own_nodes(function.body))
    returned = [one.value for one in nodes if isinstance(one, cst.Return) and one.value is not None]
    calls = [one for one in nodes if isinstance(one, cst.Call)]
    symbols = [source.names.symbol(one.func) for one in calls]
    if any(symbol.startswith("tf.train.") and "batch" in symbol for symbol in symbols):
        return bool(returned)
    given = {one for one in calls if definition(source, one.func) in others}
    names = {name for one in nodes if isinstance(one, cst.Assign) and one.value in given for name in defs(one)}
    return any(one in given or (bool(bound_by(one)) and bound_by(one) <= names) for one in returned)


def _is_decorated(source: Source, function: cst.FunctionDef) -> bool:
    return any(source.names.full(one.decorator) == INPUT_PIPELINE for one in function.decorators)


def _decorated(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    decorator = cst.Decorator(cst.parse_expression(INPUT_PIPELINE))
    if pipeline.function is not None:
        if _is_decorated(source, pipeline.function):
            return {}
        lines = pipeline.function.leading_lines
        decorators = [decorator.with_changes(leading_lines=lines), *pipeline.function.decorators]
        return {pipeline.function: pipeline.function.with_changes(decorators=decorators, leading_lines=[])}
    *first, last = pipeline.statements
    assert isinstance(last, cst.SimpleStatementLine)
    assigned = last.body[0]
    assert isinstance(assigned, cst.Assign)
    returned = last.with_changes(body=[cst.Return(assigned.value)])
    body: List[Any] = [*first, returned]
    body[0] = body[0].with_changes(leading_lines=())
    block = cst.IndentedBlock(body)
    return {None: cst.FunctionDef(cst.Name(pipeline.name), cst.Parameters(), block, decorators=[decorator])}
