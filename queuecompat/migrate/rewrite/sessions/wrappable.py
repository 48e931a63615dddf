"""Decides which blocks may keep their model in a graph, wrapped as a function, and which statements build that graph.

``graph_functions`` describes and writes the result.

Rule 1: a block is handled here only if it cannot become eager statement by statement, and the row of its refusal has
        ``in_graph``, so that the obstacle does not exist in a graph.
Rule 2: statements that build the graph keep their text and order. Statements on plain Python values stay before it, and
        must not write what it reads.
Rule 3: savers and summary writers are created after the graph, and statements that use them or the session follow.
Rule 4: initial values are computed in eager mode. If two of them share a seed, if optimizers give variables equal
        names, or if an initial value is a tensor, variables are created one by one in the way of a graph
        (``graph_functions``, rule 5).
"""

from __future__ import annotations

from typing import AbstractSet, FrozenSet, List, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import bases_of, calls_of, class_of, definition, may_reach
from queuecompat.migrate.analysis.effects import direct_escaping_writes, names_in
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.purity import closure_reads, is_pure
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.seeds import seed_of
from queuecompat.migrate.analysis.statements import (
    Statement,
    declared_names,
    defs,
    free_names,
    may_write,
    names_of,
    parts_of,
    uses,
)
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.classic import Classic, block_of
from queuecompat.migrate.rewrite.sessions.closures import require_no_readers
from queuecompat.migrate.rewrite.sessions.eager import is_op, require_eager, require_no_graph_seed, seeds_of
from queuecompat.migrate.rewrite.sessions.variables import MAKERS
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "AFTER_GRAPHS",
    "begins_with_tensors",
    "is_initial_value",
    "is_initializer",
    "optimizers_in",
    "require_unshared_states",
    "require_wrappable",
    "wrapped",
]

# What cannot be created, or has no effect, in the graph of a function. Layers store their variables elsewhere.
_OF_SESSIONS = (
    "tf.Graph", "tf.Session", "tf.contrib", "tf.estimator", "tf.feature_column", "tf.get_default_session", "tf.keras",
    "tf.layers", "tf.nn.bidirectional_dynamic_rnn", "tf.nn.dynamic_rnn", "tf.nn.rnn_cell", "tf.nn.static_rnn",
    "tf.summary.FileWriter", "tf.train.Monitored", "tf.train.Saver", "tf.train.Scaffold", "tf.train.Server",
    "tf.train.SingularMonitoredSession", "tf.train.Supervisor", "tf.train.SyncReplicasOptimizer",
    "tf.train.export_meta_graph", "tf.train.import_meta_graph", "tf.train.write_graph", "tf.write_graph",
)  # fmt: skip
# These initialize the existing variables of a graph, but the graph of a function has none.
_INITIALIZING = {
    "tf.global_variables_initializer", "tf.initialize_all_variables", "tf.initialize_local_variables",
    "tf.initialize_variables", "tf.initializers.global_variables", "tf.initializers.local_variables",
    "tf.initializers.variables", "tf.local_variables_initializer", "tf.variables_initializer",
}  # fmt: skip
# Methods of tensors, variables and optimizers.
_OF_OBJECTS = {
    "apply_gradients", "as_list", "assign", "assign_add", "assign_sub", "compute_gradients", "get_shape", "minimize",
    "read_value", "set_shape",
}  # fmt: skip
# What is created after the graph.
AFTER_GRAPHS = {"tf.summary.FileWriter", "tf.train.Saver", "tf.train.SummaryWriter"}
_MERGING = {"tf.merge_all_summaries", "tf.summary.merge_all"}
_LEAVING = (cst.Await, cst.Global, cst.Nonlocal, cst.Return, cst.Yield)
_FUNCTIONS = (cst.ClassDef, cst.FunctionDef)


def wrapped(source: Source, statements: Sequence[Statement]) -> Classic:
    """The parts of the block *statements*; ``model.lines`` holds the statements that build the graph, in order.

    Raises:
      UnsupportedPatternError: the block has another form.
    """
    require_no_graph_seed(source)
    forced: Set[str] = set()
    sorting = None
    while sorting is None or sorting.holders - forced:
        forced |= sorting.holders if sorting is not None else set()
        parts = block_of(source, statements)
        sorting = _Sorting(source, parts, forced)
        sorting.sort()
    parts.shares_states = _shares_states(source, parts.model.lines)
    parts.lifts_values = source.begins_with_tensors or begins_with_tensors(source, *parts.model.lines)
    _require_summaries(source, parts.model.lines)
    require_no_readers(source, parts.model.lines, parts.running)
    parts.running = [*sorting.late, *parts.running]
    return parts


def _require_summaries(source: Source, lines: Sequence[Statement]) -> None:
    """Requires a summary besides those of queues if *lines* merge all summaries."""
    calls = [call for line in lines for call in calls_of(source, line)]
    symbols = [source.names.symbol(call.func) for call in calls]
    if _MERGING & set(symbols):
        unknown = any(not symbol and source.names.full(call.func) for symbol, call in zip(symbols, calls))
        if not unknown and not any(one.startswith("tf.summary.") and one not in _MERGING for one in symbols):
            raise refused("graph-op", lines[0], call="tf.summary.merge_all")


def require_wrappable(source: Source, node: cst.CSTNode) -> None:
    """Requires that the graph of a function may include what *node*, and functions it calls in its file, create.

    Raises:
      UnsupportedPatternError: at *node*.
    """
    for call in _calls(source, node):
        symbol, written = source.names.symbol(call.func), source.code(call.func)
        if (source.names.full(call.func) or "").startswith("tensorflow.examples"):
            raise refused("unknown-call", node, call=written)  # TensorFlow 2 has no such module
        # Tensors of TensorFlow 2 are not hashable.
        if symbol.startswith(_OF_SESSIONS) or symbol in _INITIALIZING or written in ("frozenset", "set"):
            raise refused("graph-op", node, call=written)


def _shares_states(source: Source, lines: Sequence[Statement]) -> bool:
    """Whether initial values in *lines* share a seed, or variables of optimizers a name."""
    try:
        require_unshared_states(source, lines)
    except UnsupportedPatternError:
        return True
    return False


def require_unshared_states(source: Source, lines: Sequence[Statement]) -> Set[str]:
    """The seeds in *lines*, and in what they call in this file; requires that no two initial values share one.

    Initial values are computed in eager mode, where the second use of a seed returns another value than the first.

    Raises:
      UnsupportedPatternError: two may share one, or two optimizers would give variables equal names.
    """
    calls = [call for line in lines for call in _calls(source, line)]
    makers = [one for one in calls if source.names.symbol(one.func).endswith("Optimizer")]
    if len(makers) > 1:
        for one in makers:
            if not source.names.symbol(one.func).endswith(".GradientDescentOptimizer"):
                raise refused("second-training", lines[0])
    for call in calls:
        around = source.around(call, cst.Call)
        is_made = isinstance(around, cst.Call) and source.names.symbol(around.func) in MAKERS
        seed = seed_of(source, call)
        if seed is not None and is_initializer(source, call) and not is_made:
            raise refused("shared-seed", lines[0], seed=source.code(seed))
    return seeds_of(source, lines, None)


def optimizers_in(source: Source, nodes: AbstractSet[cst.CSTNode]) -> List[cst.Call]:
    """The calls in *nodes* that create optimizers, in the order of the text."""
    calls = (one for one in nodes if isinstance(one, cst.Call))
    return sorted((one for one in calls if source.names.symbol(one.func).endswith("Optimizer")), key=source.place)


def _calls(source: Source, node: cst.CSTNode) -> List[cst.Call]:
    """The calls in *node*, and in everything that it may reach in its file."""
    return [call for one in may_reach(source, node) for call in source.every(cst.Call, one)]


def begins_with_tensors(source: Source, *nodes: cst.CSTNode) -> bool:
    """Whether *nodes*, or code they reach in their file, may create variables from tensors, which belong to a graph."""
    calls = (call for node in nodes for call in _calls(source, node))
    return any(source.names.symbol(call.func) in MAKERS and _begins_with_a_tensor(source, call) for call in calls)


def _begins_with_a_tensor(source: Source, call: cst.Call) -> bool:
    is_plain = source.names.symbol(call.func) == "tf.Variable"
    value = argument(call, "initial_value", 0) if is_plain else argument(call, "initializer", 3)
    return value is not None and _may_be_tensor(source, value, frozenset())


def _may_be_tensor(source: Source, value: cst.BaseExpression, seen: FrozenSet[cst.CSTNode]) -> bool:
    """Whether *value* may be a tensor: not a number or array, and not a function that computes it later."""
    if isinstance(value, cst.Lambda):
        return False
    for call in every(value, cst.Call):
        is_known = is_initializer(source, call) or (not is_op(source, call) and is_pure(source, call, set()))
        if not is_known:
            return True
    inner = {part for call in every(value, cst.Call) for part in every(call.func, cst.Name)}
    names = [one for one in every(value, cst.Name) if one not in inner and one.value in uses(value)]
    return any(_may_name_tensor(source, one, seen) for one in names)


def _may_name_tensor(source: Source, name: cst.Name, seen: FrozenSet[cst.CSTNode]) -> bool:
    if source.names.full(name) is not None:
        return False
    for one in source.names.definitions(name):
        line = source.around(one, (cst.Assign, cst.Param))
        if not isinstance(line, cst.Assign) or line in seen or _may_be_tensor(source, line.value, seen | {line}):
            return True
    return False


def is_initial_value(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is in the initial value of a variable, directly or through a name with no other use."""
    around = source.around(node, (cst.Arg, cst.Assign))
    while isinstance(around, cst.Arg):
        call = source.parents.get(around)
        if isinstance(call, cst.Call) and source.names.symbol(call.func) in MAKERS:
            return True
        around = source.around(around, (cst.Arg, cst.Assign))
    if not isinstance(around, cst.Assign) or len(around.targets) != 1:
        return False
    target, function = around.targets[0].target, source.around(around, cst.FunctionDef) or source.tree
    if not isinstance(target, cst.Name):
        return False
    reads = [one for one in every(function, cst.Name) if one.value == target.value and one is not target]
    makers = [call for call in every(function, cst.Call) if source.names.symbol(call.func) in MAKERS]
    inside = {part for call in makers for arg in call.args for part in every(arg.value, cst.Name)}
    return bool(reads) and all(one in inside for one in reads)


def is_initializer(source: Source, call: cst.Call) -> bool:
    """Whether *call* creates an initializer of variables."""
    return source.names.symbol(call.func).endswith("initializer")


class _Sorting:
    """Sorts the statements before the first run into plumbing, plain Python, and statements that build the graph.

    Args:
      built: names whose assignments count as building the graph, whatever their value.

    Attributes:
      late: the statements that follow the graph.
      holders: names of objects created before the graph whose methods build a part of it, and from which a run fetches.
    """

    def __init__(self, source: Source, parts: Classic, built: Set[str]) -> None:
        self._source, self._parts, self._built = source, parts, built
        self.late: List[Statement] = []
        self.holders: Set[str] = set()
        self._owned: Set[str] = set()
        runs = (call for one in parts.running for call in parts.plumbing.runs(one))
        self._fetched: Set[str] = set().union(*(uses(arg) for call in runs for arg in call.args))
        self._inputs = {line for one in parts.inputs for line in one.statements}
        self._ends = {one.statements[-1]: one for one in parts.inputs}

    def sort(self) -> None:
        parts, model = self._parts, self._parts.model
        for one in parts.building:
            if one in self._inputs and uses(one) & model.tensors:
                raise refused("graph-name", one)  # the pipeline is built outside the graph
            if one in self._ends:
                model.tensors.update(self._ends[one].names)
            if one in self._inputs or parts.plumbing.includes(one):
                continue
            if parts.feeds.makes(one):
                self._keep(one)
            elif self._follows(one):
                self.late.append(one)
            elif self._builds(one):
                self._require_movable(one)
                owners = self._owners(one) - model.tensors
                self._owned |= owners
                parts.methods += self._methods_of_owners(one)
                self.holders.update(owners.intersection(name for line in parts.kept for name in names_of(line)))
                model.tensors.update(may_write(self._source, one) | owners)
                model.lines.append(one)  # type: ignore[arg-type]
            else:
                self._keep(one)
        self._require_no_reused_names()
        parts.take_comments([*parts.kept, *model.lines, *self.late])

    def _follows(self, one: Statement) -> bool:
        """Whether *one* needs the session, or creates or uses what comes after the graph."""
        if isinstance(one, _FUNCTIONS):
            return False
        given: Set[str] = set().union(*(may_write(self._source, line) for line in self.late))
        makes = any(self._source.names.symbol(call.func) in AFTER_GRAPHS for call in every(one, cst.Call))
        return makes or bool(uses(one) & (self._parts.plumbing.names | given))

    def _owners(self, one: Statement) -> Set[str]:
        """The objects whose methods *one* calls, and from which runs fetch something."""
        calls = () if isinstance(one, _FUNCTIONS) else every(one, cst.Call)
        called = (call.func for call in calls if isinstance(call.func, cst.Attribute))
        roots = {dotted_name(func).partition(".")[0] for func in called if self._source.names.full(func) is None}
        return roots & self._fetched

    def _methods_of_owners(self, one: Statement) -> List[cst.Attribute]:
        """The methods of such objects that *one* calls."""
        calls = () if isinstance(one, _FUNCTIONS) else every(one, cst.Call)
        found = [call.func for call in calls if isinstance(call.func, cst.Attribute)]
        found = [one for one in found if one.attr.value not in _OF_OBJECTS]
        return [one for one in found if dotted_name(one).partition(".")[0] in self._owned]

    def _builds(self, one: Statement) -> bool:
        """Whether *one* creates a part of the graph, or uses one."""
        model = self._parts.model
        if isinstance(one, cst.SimpleStatementLine) and model.placeholders.take(one):
            return True
        if isinstance(one, cst.SimpleStatementLine) and self._built & set(names_of(one)):
            return True
        if isinstance(one, _FUNCTIONS):
            return bool(free_names(one) & model.tensors)
        return bool(uses(one) & model.tensors) or any(is_op(self._source, call) for call in calls_of(self._source, one))

    def _require_movable(self, one: Statement) -> None:
        """Requires that *one* means the same inside a function as it does here."""
        if uses(one) & self._parts.plumbing.names or is_queue_statement(self._source, one):
            raise refused("session-use", one)
        if not isinstance(one, _FUNCTIONS) and any(isinstance(part, _LEAVING) for part in parts_of(one)):
            raise refused("session-use", one)
        function = self._source.around(one, cst.FunctionDef)
        if function is not None and defs(one) & declared_names(function):
            raise refused("changes-outside", one, function=function.name.value)
        require_wrappable(self._source, one)

    def _keep(self, one: Statement) -> None:
        """Keeps *one* before the graph; requires that no statement it overtakes reads or changes the same names."""
        require_eager(self._source, one)
        above = [*self._parts.model.lines, *self.late]
        read: Set[str] = set().union(*map(uses, above), *(self._reads_of(line) for line in above))
        changed = sorted((may_write(self._source, one) | self._writes_of(one)) & read)
        if changed:
            raise refused("changed-before-run", one, name=changed[0])
        names = set() if isinstance(one, _FUNCTIONS) else names_in(self._source, one)
        changed = sorted(names.intersection(name for line in above for name in self._writes_of(line)))
        if changed:
            raise refused("changed-by-graph", one, name=changed[0])
        if uses(one) & self._parts.plumbing.names and not isinstance(one, _FUNCTIONS):
            raise refused("session-use", one)
        if self._parts.feeds.makes(one) and uses(self._parts.feeds.with_strings(one)) & self._parts.model.tensors:
            raise refused("graph-name", one)
        self._parts.kept.append(one)

    def _reached(self, one: Statement) -> List[cst.CSTNode]:
        """The functions of the file that *one* may call."""
        return [] if isinstance(one, _FUNCTIONS) else list(may_reach(self._source, one))[1:]

    def _reads_of(self, one: Statement) -> Set[str]:
        """The variables of the file that are read by functions which *one* calls."""
        return set().union(*(closure_reads(self._source, part) for part in self._reached(one)))

    def _writes_of(self, one: Statement) -> Set[str]:
        """The names that functions called by *one* set, except attributes of objects that *one* creates."""
        reached = self._reached(one)
        made = [definition(self._source, call.func) for part in (one, *reached) for call in every(part, cst.Call)]
        kinds = [kind for kind in made if isinstance(kind, cst.ClassDef)]
        kinds += [base for kind in kinds for base in bases_of(self._source, kind)]
        functions = [each for part in reached for each in every(part, cst.FunctionDef)]
        found = (
            direct_escaping_writes(self._source, each, is_new=class_of(self._source, each) in kinds)
            for each in functions
        )
        return set().union(*found)

    def _require_no_reused_names(self) -> None:
        """Requires that no earlier statement assigns a name that becomes a local variable of the graph's function."""
        given: Set[str] = set().union(*(one.names for one in self._parts.inputs))
        local = given.union(*map(defs, self._parts.model.lines))
        for one in self._parts.model.lines:
            read = free_names(one) if isinstance(one, _FUNCTIONS) else uses(one)
            early = sorted((read & local) - given - (defs(one) - self._read_first(one)))
            if early:
                raise refused("reused-name", one, name=early[0])
            given |= defs(one)

    def _read_first(self, one: Statement) -> Set[str]:
        """The names that *one* assigns but reads, or may read, before it assigns them."""
        if isinstance(one, _FUNCTIONS):
            return set()
        if not isinstance(one, cst.SimpleStatementLine):
            return _read_in(one)
        values = [part.value for part in one.body if isinstance(part, cst.Assign)]
        return set().union(*map(uses, values)) if len(values) == len(one.body) else uses(one)


def _read_in(block: cst.CSTNode) -> Set[str]:
    """The names that a block reads in expressions, not only as targets."""
    targets = {part for one in every(block, cst.AssignTarget) for part in every(one.target, cst.Name)}
    turns = {part for one in every(block, cst.For) for part in every(one.target, cst.Name)}
    turns |= {part for one in every(block, cst.AsName) for part in every(one.name, cst.Name)}
    return {name.value for name in every(block, cst.Name) if name not in targets | turns}
