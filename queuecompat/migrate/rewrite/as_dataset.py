"""``--to as-dataset``: input functions return datasets, and the loop that ran a session iterates over them.

A file is rewritten if all of it has the classic form (``sessions``). Otherwise a comment marks the place that does not,
and the program works as before. A file that has only input functions gets decorators on them.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, class_of, definition, may_reach
from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE, is_in_a_pipeline
from queuecompat.migrate.analysis.queue_statements import is_batch_elsewhere, is_queue_statement
from queuecompat.migrate.analysis.registering import is_registering
from queuecompat.migrate.analysis.statements import Statement, parts_of
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.imports.dimensions import without_dimensions
from queuecompat.migrate.rewrite.imports.eager_imports import eager_imports, tensorflow_name
from queuecompat.migrate.rewrite.imports.graph_mode import without_graph_mode
from queuecompat.migrate.rewrite.input_functions import (
    blocks,
    input_functions,
    is_decorated,
    require_no_records_from_caller,
    runs_session,
)
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.rewritten import ALONE, Rewritten, Surroundings
from queuecompat.migrate.rewrite.sessions.batched import require_returned_batches
from queuecompat.migrate.rewrite.sessions.classic import Classic, classic
from queuecompat.migrate.rewrite.sessions.eager import require_eager
from queuecompat.migrate.rewrite.sessions.graph_functions import GraphRuns, graph_block
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.rewrite.sessions.iterator_loops import write_iterator_loops
from queuecompat.migrate.rewrite.sessions.loops import write_single_loop
from queuecompat.migrate.rewrite.sessions.run_lines import NewLines, RunLines
from queuecompat.migrate.rewrite.sessions.single_loop import single_loop
from queuecompat.migrate.rewrite.sessions.wrappable import wrapped
from queuecompat.migrate.rewrite.todo_comments import commented
from queuecompat.migrate.rewrite.unread import why_unread
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "Pipeline",
    "Replacements",
    "as_dataset",
    "decorated",
    "eager_text",
    "has_pipelines",
    "rewritten_as",
    "with_eager_imports",
]

# Refusals about single statements. If wrapping the model in a graph fails too, that refusal is the more helpful one.
_OF_STATEMENTS = {"changes-outside", "computed-rate", "unknown-call", "unknown-draw", "unknown-draws"}
_OF_QUEUES = {"QC701", "QC702", "QC703", "QC704", "QC705", "QC706"}


@dataclasses.dataclass
class Pipeline:
    """An input function that is being rewritten as one that returns a dataset.

    Attributes:
      function: the function in the file; None for statements that are to become a function.
      name: the name of the function.
      statements: its body, or these statements; the last one returns or assigns a batch.
      in_graph: for ``tf_data``: whether it returns tensors as before, those of an iterator.
    """

    function: Optional[cst.FunctionDef]
    name: str
    statements: Sequence[Statement]
    in_graph: bool = False


# Maps an input function, and helpers that change with it, to their new form; the key None stands for a new function.
Replacements = Dict[Optional[cst.CSTNode], Any]
Way = Callable[[Source, Pipeline, str], Replacements]


def as_dataset(source: Source, around: Surroundings = ALONE) -> Rewritten:
    """Rewrites *source* with ``@queuecompat.input_pipeline`` on its input functions."""
    return rewritten_as(source, decorated, "QC743", ["queuecompat"], around=around)


def rewritten_as(
    source: Source,
    way: Way,
    code: str,
    imports: Sequence[str],
    *,
    around: Surroundings = ALONE,
    takes_decorated: bool = False,
) -> Rewritten:
    """Rewrites *source*: *way* converts its input functions, and its loops then iterate over datasets.

    Args:
      way: returns the new form of an input function, and of the helpers that change with it.
      code: the code of findings about what is left unchanged.
      imports: modules that the new functions need.
      around: facts about the other files of the program.
      takes_decorated: whether *way* also converts input functions that are already decorated.
    """
    if not has_pipelines(source):
        return Rewritten(source.text)
    tensorflow = tensorflow_name(source)
    unread = why_unread(source) if tensorflow is None else None
    if unread is not None:
        return commented(source, code, unread)
    try:
        # Functions that only pass on batches of other files work without a name for TensorFlow.
        changes = _Changes(source, way, tensorflow or "", around, takes_decorated)
        if not changes:
            # Its classes build pipelines that input functions of other files use.
            is_used = not takes_decorated and any(is_queue_statement(source, one) for one in source.every(cst.ClassDef))
            text = source.with_tree(eager_imports(source, source.tree, [])) if is_used else source.text
            return Rewritten(text, only_imports=True)
        wanted = imports if changes.makes_datasets else []
        text = eager_text(source, changes.applied(), wanted)
    except UnsupportedPatternError as other:
        return commented(source, code, other)
    return Rewritten(
        text,
        changes.findings,
        datasets=changes.datasets,
        consumed=frozenset([*changes.consumed, *changes.within]),
        within=frozenset(changes.within),
        in_graphs=frozenset(changes.in_graphs),
        methods=frozenset(changes.methods),
        has_several_parts=changes.has_several_parts,
        in_front=tuple(changes.in_front),
    )


def eager_text(source: Source, tree: cst.Module, modules: Sequence[str]) -> str:
    """The text of *tree*, a rewritten *source*, for an eager program that imports *modules*.

    Raises:
      UnsupportedPatternError: it needs a graph, or a name that tensorflow.compat.v1 does not have.
    """
    text = without_graph_mode(source, source.with_tree(eager_imports(source, tree, modules)))
    text = without_dimensions(source, text)
    _require_names(source, source.again(text))
    return text


def has_pipelines(source: Source) -> bool:
    """Whether a file names parts of queue pipelines, or functions of other files that return batches."""
    uses = (one for one in source.once(mentions) if not one.is_beside_pipelines)
    return bool(source.batches_elsewhere) or any(one.row.code in _OF_QUEUES for one in uses)


def with_eager_imports(source: Source) -> str:
    """The text of a file without pipelines that a rewritten file imports: only its imports change.

    Raises:
      UnsupportedPatternError: importing it needs graph mode.
    """
    for one in source.tree.body:
        if isinstance(one, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
            require_eager(source, one)
    text = without_graph_mode(source, source.with_tree(eager_imports(source, source.tree, [])))
    text = without_dimensions(source, text)
    if text != source.text:
        _require_names(source, source.again(text))
    return text


def _require_names(source: Source, new: Source) -> None:
    """Refuses names in the new source that ``tensorflow.compat.v1``, which it imports, does not have.

    Names of tf.contrib are accepted inside input functions, where they exist while the function becomes a dataset.
    """
    for use in new.once(mentions):
        in_contrib = use.row.code in ("QC706", "QC709") and use.row.status != "gone"
        if use.row.status in ("gone", "renamed") or (in_contrib and not is_in_a_pipeline(new, use.node)):
            node = next((one.node for one in source.once(mentions) if one.written == use.written), source.tree.body[0])
            raise refused("not-in-compat-v1", node, call=use.written)


class _Changes:
    """All nodes of a file that change, and their new forms.

    Attributes:
      findings: findings that users have to know.
      in_graphs: all nodes in statements that still build a graph, and in functions that these may call.
      methods: the attributes by which such statements call methods of objects that are not tensors.
      has_several_parts: whether several parts of a graph are run, each with random states of its own.
      in_front: statements that were moved before those that build a graph.
    """

    def __init__(self, source: Source, way: Way, tensorflow: str, around: Surroundings, takes_decorated: bool) -> None:
        self._source, self._way, self._tf, self._around = source, way, tensorflow, around
        self.consumed: List[cst.CSTNode] = []
        self.within: List[cst.CSTNode] = []
        self._has_new = False
        self.in_graphs: Set[cst.CSTNode] = set()
        self.methods: List[cst.CSTNode] = []
        self.has_several_parts = False
        self.in_front: List[Statement] = []
        self._datasets_made: Dict[Any, Tuple[str, List[Any]]] = {}
        self._new: Replacements = {}
        self._helpers: List[cst.CSTNode] = []
        self._pipelines: List[cst.FunctionDef] = []
        self._calls: List[cst.CSTNode] = []
        self._module: Optional[cst.Module] = None
        self.findings: List[Finding] = []
        runners = [one for one in blocks(source) if runs_session(source, one[1])]
        self._runners = [node for node, _ in runners]
        for node, statements in runners:
            self._rewrite(node, statements)
        functions = input_functions(source, around)
        for function in functions:
            if function not in self._new:
                self._replace(function)
                require_returned_batches(source, function)  # afterwards, because *way* may give a better reason
                if function not in around.outer and function not in around.looked_up:
                    self.findings.append(source.found("QC746", function, call=function.name.value))
        for function in functions:
            require_no_records_from_caller(source, function)  # last, because the other reasons are more helpful
        if takes_decorated:
            for function in source.every(cst.FunctionDef):
                if is_decorated(source, function):
                    self._replace(function)
        self._require_all_calls()

    def __bool__(self) -> bool:
        return bool(self._new) or self._module is not None

    @property
    def makes_datasets(self) -> bool:
        """Whether a function of the new file returns a dataset."""
        return bool(self._pipelines) or self._has_new

    @property
    def datasets(self) -> FrozenSet[cst.CSTNode]:
        """The functions that return a dataset now, and did not before."""
        return frozenset(one for one in self._pipelines if not is_decorated(self._source, one))

    def applied(self) -> cst.Module:
        new = {old: one for old, one in self._new.items() if old is not None}
        parents = self._source.parents if self._module is None else None
        result: cst.Module = replaced(self._module or self._source.tree, new, parents)
        return result

    def _rewrite(self, node: cst.CSTNode, statements: Sequence[Any]) -> None:
        """Rewrites the block *statements* of *node* for eager mode; if refused, with the model kept in a graph."""
        try:
            parts = classic(self._source, statements)
            new = self._looped(parts)
        except UnsupportedPatternError as problem:
            if not problem.row.in_graph:
                raise
            try:
                parts = wrapped(self._source, statements)
                new = self._in_graph(parts)
            except UnsupportedPatternError as other:
                is_said = problem.row.key in _OF_STATEMENTS and not problem.others
                raise (other if is_said else problem) from None
            reached = may_reach(self._source, *parts.model.lines)
            self.methods += parts.methods
            self.in_graphs.update(part for one in reached for part in parts_of(one))
        if isinstance(node, cst.FunctionDef):
            # It may define the input function itself; those of a module are replaced in the end (``applied``).
            functions = {old: one for old, one in self._new.items() if old is not None}
            new = [replaced(one, functions) for one in new]
            if not _begins_with_blank(statements):
                new[:1] = [one.with_changes(leading_lines=_from_comment(one.leading_lines)) for one in new[:1]]
        new = _apart_as_before(statements, new)
        block: Any = node.body if isinstance(node, cst.FunctionDef) else self._source.tree
        block = block.with_changes(body=new, footer=[*parts.left, *block.footer])
        if isinstance(node, cst.FunctionDef):
            self._new[node] = node.with_changes(body=block)
        else:
            self._module = block.with_changes(body=_with_functions_apart(statements, new))

    def _looped(self, parts: Classic) -> List[Any]:
        lines = RunLines(self._source, parts, self._tf)
        datasets, pipelines = self._datasets(parts, lines)
        single = single_loop(self._source, parts)
        if single is not None:
            return write_single_loop(self._source, parts, single, lines, datasets[0], pipelines[0])
        return write_iterator_loops(self._source, parts, lines, datasets, pipelines)

    def _in_graph(self, parts: Classic) -> List[Any]:
        lines = GraphRuns(self._source, parts, self._tf)
        new = graph_block(self._source, parts, lines, *self._datasets(parts, lines))
        self.has_several_parts = self.has_several_parts or len(lines.wanted) > 1
        first = next(iter(parts.model.lines), None)
        late = parts.building[parts.building.index(first) :] if first is not None else []
        self.in_front += [one for one in late if one in parts.kept]
        return new

    def _datasets(self, parts: Classic, lines: NewLines) -> Tuple[List[str], List[List[Any]]]:
        """For each pipeline, the expression for its dataset, and the new function that the expression calls, if any."""
        made = [self._made(one, lines) for one in parts.inputs]
        return [dataset for dataset, _ in made], [pipeline for _, pipeline in made]

    def _made(self, one: Input, lines: NewLines) -> Tuple[str, List[Any]]:
        """As ``_new_dataset``, cached: each pipeline is converted once, even if its block is rewritten twice."""
        first = one.statements[0]
        if first not in self._datasets_made:
            self._datasets_made[first] = self._new_dataset(one, lines)
        return self._datasets_made[first]

    def _new_dataset(self, one: Input, lines: NewLines) -> Tuple[str, List[Any]]:
        """The expression that creates the dataset of a pipeline, and the function that it calls if that one is new."""
        function, call = self._called(one)
        if call:
            if function is not None:
                self._replace(function)
            return call, []
        name = lines.unused("input_pipeline")
        statements = list(one.statements)
        if self._way is decorated:  # there, the functions that it calls return tensors
            calls = [call for line in statements for call in self._source.every(cst.Call, line)]
            self.within += [call for call in calls if is_batch_elsewhere(self._source, call)]
        if one.is_prepared:
            batch = self._source.code(one.batch)
            statements.append(lines.statement(f"{batch} = {batch}"))
        found = self._way(self._source, Pipeline(None, name, statements), self._tf)
        pipeline, self._has_new = found.pop(None), True
        self._add(found, None)
        names = one.parameters(self._source)
        parameters = [cst.Param(cst.Name(parameter)) for parameter in names]
        pipeline = pipeline.with_changes(params=cst.Parameters(parameters))
        return f"{name}({', '.join(names)})", [pipeline]

    def _called(self, one: Input) -> Tuple[Optional[cst.FunctionDef], str]:
        """If the pipeline is a single call of a function: that function, and the code of the call."""
        statement = one.statements[0].body[0] if len(one.statements) == 1 else None  # type: ignore[index]
        value = statement.value if isinstance(statement, cst.Assign) else None
        function = definition(self._source, value.func) if isinstance(value, cst.Call) else None
        if isinstance(value, cst.Call) and is_batch_elsewhere(self._source, value):
            self.consumed.append(value)
            return None, self._source.code(value)
        if value is None or not isinstance(function, cst.FunctionDef):
            return None, ""
        self._calls.append(value)
        return function, self._source.code(value)

    def _is_known(self, call: cst.Call, called: Any) -> bool:
        if self._way is decorated and self._source.around(call, cst.Lambda) is not None:
            return True  # inside a graph it returns tensors, as before
        return called in self._pipelines and (call in self._calls or is_decorated(self._source, called))

    def _replace(self, function: cst.FunctionDef) -> None:
        if self._way is not decorated and function in self._around.looked_up:
            kind = class_of(self._source, function)
            if kind is not None:
                raise refused("in-method", function, call=function.name.value, name=kind.name.value)
            raise refused("looked-up", function, function=function.name.value)
        if self._way is decorated:
            _require_no_global_step(self._source, function)
        if function not in self._new:
            self._pipelines.append(function)
            pipeline = Pipeline(function, function.name.value, list(function.body.body))  # type: ignore[arg-type]
            self._add(self._way(self._source, pipeline, self._tf), function)

    def _add(self, found: Replacements, function: Optional[cst.FunctionDef]) -> None:
        self._new.update(found)
        self._helpers += [one for one in found if one is not None and one is not function]

    def _require_all_calls(self) -> None:
        """Requires that all callers of a function that changes are rewritten for it."""
        for call in self._source.every(cst.Call):
            called = definition(self._source, call.func)
            if called in self._helpers:
                self._helpers.remove(called)
            elif called in self._new and called not in self._runners and not self._is_known(call, called):
                raise refused("called-elsewhere", call, call=self._source.code(call.func))


def _require_no_global_step(source: Source, function: cst.FunctionDef) -> None:
    """Refuses an input function that uses the global step of the model: its dataset has variables of its own.

    Raises:
      UnsupportedPatternError: at the call.
    """
    for call in calls_of(source, function):
        if source.names.symbol(call.func).endswith("global_step"):
            raise refused("shared-variable", call, call=source.code(call.func))


def _apart_as_before(old: Sequence[Any], new: Sequence[Any]) -> List[Any]:
    """Returns *new*, in which new statements have as many blank lines above them as the removed ones they replace."""
    after = dict(zip(old, old[1:]))
    found = list(new[:1])
    for above, one in zip(new, new[1:]):
        gone = after.get(above)
        # Statements that were there before are left alone: they may be changed elsewhere, and are found by identity.
        if gone is not None and one not in old:
            missing = _blanks(gone)[len(_blanks(one)) :]
            one = one.with_changes(leading_lines=[*missing, *one.leading_lines])
        found.append(one)
    return found


def _with_functions_apart(old: Sequence[Any], new: Sequence[Any]) -> List[Any]:
    """Returns the statements *new* of a module, with two blank lines around the functions that are not in *old*."""
    found: List[Any] = []
    for one in new:
        is_next = bool(found) and isinstance(found[-1], cst.FunctionDef) and found[-1] not in old
        if found and (is_next or (isinstance(one, cst.FunctionDef) and one not in old)):
            missing = [cst.EmptyLine(indent=False)] * (2 - len(_blanks(one)))
            one = one.with_changes(leading_lines=[*missing, *one.leading_lines])
        found.append(one)
    return found


def _blanks(statement: Any) -> List[cst.EmptyLine]:
    """The blank lines before a statement and its comments."""
    return list(itertools.takewhile(lambda line: line.comment is None, statement.leading_lines))


def _begins_with_blank(statements: Sequence[Any]) -> bool:
    return any(line.comment is None for line in statements[0].leading_lines[:1])


def _from_comment(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """*lines* without the empty lines at the beginning."""
    return list(itertools.dropwhile(lambda line: line.comment is None, lines))


def _without_blanks(source: Source, one: Any, first: cst.CSTNode) -> Any:
    """*one* without the blank lines above it, if it stood above *first*."""
    if one not in source.parents or source.line(one) >= source.line(first):
        return one
    return one.with_changes(leading_lines=[line for line in one.leading_lines if line.comment])


def decorated(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    """The input function with ``@queuecompat.input_pipeline``; for statements, a new function of them with it."""
    decorator = cst.Decorator(cst.parse_expression(INPUT_PIPELINE))
    if pipeline.function is not None:
        if is_decorated(source, pipeline.function):
            return {}
        others = pipeline.function.decorators
        # staticmethod and classmethod take a function, but do not return one.
        is_method = class_of(source, pipeline.function) is not None
        is_inside = is_method or all(is_registering(source, one) for one in others)
        decorators = [*others, decorator] if is_inside else [decorator, *others]
        return {pipeline.function: pipeline.function.with_changes(decorators=decorators)}
    *first, last = pipeline.statements
    assert isinstance(last, cst.SimpleStatementLine)
    assigned = last.body[0]
    assert isinstance(assigned, cst.Assign)
    returned = last.with_changes(body=[cst.Return(assigned.value)])
    body: List[Any] = [*(_without_blanks(source, one, first[0]) for one in first), returned]
    body[0] = body[0].with_changes(leading_lines=())
    block = cst.IndentedBlock(body)
    return {None: cst.FunctionDef(cst.Name(pipeline.name), cst.Parameters(), block, decorators=[decorator])}
