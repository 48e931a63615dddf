"""Rewrites blocks whose model stays a graph: it becomes a wrapped function, and each session run calls a part of it.

    images, labels = inputs(files)                 batches = iter(inputs(files))
    loss = model.loss(images, labels)              made = {}
    train_op = model.train(loss)
    ...                                            def build():
        _, value = sess.run([train_op, loss])          images, labels = batches.get_next()
                                            ->         loss = model.loss(images, labels)
                                                       train_op = model.train(loss)
                                                       made["run_graph"] = [], fetched([train_op, loss])

                                                   model_graph = tf.wrap_function(build, [])
                                                   run_graph = model_graph.prune(*made["run_graph"])
                                                   ...
                                                       _, value = as_numpy(run_graph())

``wrappable`` decides which blocks are handled here, and which of their statements build the graph.

Rule 1: a part of the graph computes what it fetches, and draws a batch from each pipeline that this depends on. A
        session run does the same, so these dependencies need not be found in the text.
Rule 2: a saver has the variables that existed where it was created.
Rule 3: each part has random states of its own. If there are several parts, no random op in them may have a seed.
Rule 4: the step that an optimizer counts is read after everything else that a run fetches: see ``session_runs``, rule
        2. If attributes or results of functions are fetched, which may be variables, every variable is read last.
Rule 5: variables whose initial values share a seed each get that seed's first value, as in a graph: a separate function
        draws each value, even one that is a tensor of the graph. Optimizers' variables with equal names are numbered,
        as in a graph.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import may_reach
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.seeds import seed_of
from queuecompat.migrate.analysis.statements import Statement, defs, names_of, parts_of, uses, value_of
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.comments import led, lost
from queuecompat.migrate.rewrite.sessions.iterator_loops import LoopWriter
from queuecompat.migrate.rewrite.sessions.list_batches import drawing_lines
from queuecompat.migrate.rewrite.sessions.run_lines import NewLines, apart, without_blank
from queuecompat.migrate.rewrite.sessions.wrappable import AFTER_GRAPHS, is_initial_value, is_initializer
from queuecompat.migrate.source.nodes import argument, every, method, without_comma
from queuecompat.migrate.source.parsing import Source

__all__ = ["GraphRuns", "graph_block", "random_seed"]

# Fetches that consist only of these mean the same at every place.
_FETCHES = (
    cst.Add, cst.Attribute, cst.BaseNumber, cst.BinaryOperation, cst.Dict, cst.DictElement, cst.Element, cst.Index,
    cst.List, cst.Name, cst.SimpleString, cst.Slice, cst.Subscript, cst.SubscriptElement, cst.Tuple,
)  # fmt: skip
_SPACES = (
    cst.BaseParenthesizableWhitespace, cst.Colon, cst.Comma, cst.Comment, cst.Dot, cst.EmptyLine, cst.LeftCurlyBrace,
    cst.LeftParen, cst.LeftSquareBracket, cst.Newline, cst.RightCurlyBrace, cst.RightParen, cst.RightSquareBracket,
    cst.TrailingWhitespace,
)  # fmt: skip


def random_seed(source: Source, calls: Iterable[cst.Call]) -> str:
    """The seed of a random op in *calls*; "" if none has one. Initial values, drawn only once, do not count."""
    for call in calls:
        seed = seed_of(source, call)
        is_random = bool(source.names.symbol(call.func)) and not is_initializer(source, call)
        if seed is not None and is_random and not is_initial_value(source, call):
            return source.code(seed)
    return ""


def graph_block(
    source: Source, parts: Classic, lines: GraphRuns, datasets: Sequence[str], pipelines: Sequence[Sequence[Any]]
) -> List[Any]:
    """The statements of the new block.

    Args:
      lines: writes the calls that replace runs.
      datasets: for each pipeline, the expression for its dataset.
      pipelines: for each pipeline, the statements that replace it.

    Raises:
      UnsupportedPatternError: a run asks for something that the graph does not have.
    """
    return _Writer(source, parts, lines).block(datasets, pipelines)


class GraphRuns(NewLines):
    """Writes the calls that replace runs, and records for each which part of the graph it needs.

    Attributes:
      wanted: the code of feeds and fetches, by the name of the function.
      savers: the code of each saver's variables, by the name of the saver.
      steps: for each function, the step variable that is read last; "" if there is none.
      made, graph: the names of the dict of the graph's parts, and of the graph.
      as_numpy: the name of the function that converts results, once a value is used; "" before.
      may_fetch_variables: whether runs may fetch variables that cannot be recognised in the text.
    """

    def __init__(self, source: Source, parts: Classic, tensorflow: str) -> None:
        super().__init__(source, tensorflow)
        self._parts = parts
        self._of_values = self.unused("as_numpy")
        self.made, self.graph = self.unused("made"), self.unused("model_graph")
        self.savers = {name: variables for one in parts.running for name, variables in self.saver_of(one)}
        self.wanted: Dict[str, Tuple[str, str]] = {}
        self.steps: Dict[str, str] = {}
        self.as_numpy = ""
        self.may_fetch_variables = False

    def with_values(self, node: Any) -> Any:
        """*node* with its runs replaced by calls of functions."""
        if isinstance(node, cst.SimpleStatementLine) and defs(node) & self._parts.names:
            raise refused("graph-name", node)
        alone = [one.value for one in getattr(node, "body", ()) if isinstance(one, cst.Expr)]
        return node.visit(_Calls(self, self._parts, alone))

    def saver_of(self, one: Statement) -> Iterator[Tuple[str, str]]:
        """The name of the saver that *one* creates, if it does, and the code of the saver's variables."""
        call = value_of(one)
        if not isinstance(call, cst.Call) or self._source.names.symbol(call.func) != "tf.train.Saver":
            return
        given = argument(call, "var_list", 0)
        code = "None" if given is None else self._source.code(given)
        variables = f"{self.tensorflow}.global_variables()" if code == "None" else code
        names = names_of(one)
        if len(names) != 1 or any(one.star for one in call.args):
            raise refused("graph-op", one, call=self._source.code(call.func))
        yield names[0], variables

    def saver(self, name: str, call: cst.Call) -> Any:
        """The line that creates the saver *name*, as *call* did."""
        given = argument(call, "var_list", 0)
        others = [self._source.code(without_comma(one)) for one in call.args if one.value is not given]
        code = ", ".join([f'{self.made}["{name}"]', *others])
        return self.statement(f"{name} = {self._source.code(call.func)}({code})")

    def summary_writer(self, line: cst.SimpleStatementLine, call: cst.Call) -> Any:
        """The block that creates a summary writer, which needs a default graph."""
        graph = f"{self.graph}.graph"
        first, *others = call.args
        if any(
            one.keyword is None or one.keyword.value not in ("flush_secs", "graph", "max_queue") for one in others[1:]
        ):
            raise refused("graph-op", line, call=self._source.code(call.func))
        is_graph = bool(others) and (others[0].keyword is None or others[0].keyword.value in ("graph", "graph_def"))
        others = others[1:] if is_graph else others
        arguments = [self._source.code(without_comma(one)) for one in (first, *others)]
        arguments[1:1] = [graph] if is_graph else []
        names = ", ".join(names_of(line))
        made = f"{names} = {self._source.code(call.func)}({', '.join(arguments)})"
        return self.statement(f"with {graph}.as_default():\n    {made}\n")

    def call(self, run: cst.Call) -> str:
        """The code of the function call that replaces *run*."""
        fetches, feeds = argument(run, "fetches", 0), argument(run, "feed_dict", 1)
        if fetches is None or len(run.args) != (1 if feeds is None else 2):
            raise refused("fed", run)
        step = self._step(run, fetches)
        types = self._parts.model.placeholders.types
        fed = self._parts.feeds.values(run, feeds)
        if set(fed) - set(types):
            raise refused("fed", run)
        if any(uses(value) & self._parts.names for value in fed.values()):
            raise refused("graph-name", run)
        values = [f"{self.tensorflow}.constant({self._source.code(fed[name])}, {types[name]})" for name in fed]
        function = self._function(", ".join(fed), self._source.code(fetches))
        self.steps[function] = step
        return f"{function}({', '.join(values)})"

    def value(self, call: str) -> str:
        """The code that converts the function's result to what a session returned."""
        self.as_numpy = self._of_values
        return f"{self.as_numpy}({call})"

    def _function(self, feeds: str, fetches: str) -> str:
        wanted = (feeds, " ".join(fetches.split()))
        for name, one in self.wanted.items():
            if one == wanted:
                return name
        name = self.unused("run_graph" if not self.wanted else f"run_graph_{len(self.wanted) + 1}")
        self.wanted[name] = wanted
        return name

    def _step(self, run: cst.Call, fetches: cst.BaseExpression) -> str:
        """The variable that is read last, or ""; requires that *fetches* are written out in names of the graph."""
        plain = all(isinstance(part, (*_FETCHES, *_SPACES)) for part in parts_of(fetches))
        names = uses(fetches)
        if not plain or not names or names - self._parts.model.tensors:
            raise refused("foreign-fetch", run, fetch=self._source.code(fetches))
        variables = sorted(names & self._parts.plumbing.variables)
        self.may_fetch_variables = self.may_fetch_variables or self._may_hold_variables(fetches)
        if len(names) == 1 or not variables:
            return ""
        whole = (cst.DictElement, cst.Element)
        places = [one for one in every(fetches, cst.Name) if one.value == variables[0]]
        is_whole = all(isinstance(self._source.parents.get(one), whole) for one in places)
        if len(variables) > 1 or not is_whole or not self._counts(variables[0]):
            raise refused("fetch-order", run, fetch=variables[0])
        return variables[0]

    def _may_hold_variables(self, fetches: cst.BaseExpression) -> bool:
        """Whether *fetches* may contain a variable that has no name in the block: an attribute, or a result."""
        made = {name for line in self._parts.model.lines if self._makes_tensors(line) for name in names_of(line)}
        made |= self._parts.plumbing.variables.union(*(one.names for one in self._parts.inputs))
        made |= set(self._parts.model.placeholders.types)
        inside = [one.value for one in every(fetches, cst.Attribute)] + [
            one.value for one in every(fetches, cst.Subscript)
        ]
        return bool(inside) or bool(uses(fetches) - made)

    def _makes_tensors(self, line: Statement) -> bool:
        """Whether *line* assigns the result of a TensorFlow function or of an operator."""
        value = value_of(line)
        if isinstance(value, cst.Call):
            return bool(self._source.names.symbol(value.func))
        return isinstance(value, (cst.BinaryOperation, cst.Comparison, cst.UnaryOperation))

    def _counts(self, variable: str) -> bool:
        """Whether an optimizer of the graph counts its steps in *variable*."""
        calls = [call for line in self._parts.model.lines for call in every(line, cst.Call)]
        given = [argument(one, "global_step", 1 if method(one) == "minimize" else None) for one in calls]
        return variable in map(dotted_name, given)


class _Calls(cst.CSTTransformer):
    def __init__(self, runs: GraphRuns, parts: Classic, alone: Sequence[cst.CSTNode]) -> None:
        super().__init__()
        self._runs, self._parts, self._alone = runs, parts, alone

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if not isinstance(original_node, cst.Call):
            return updated_node
        if not self._parts.plumbing.is_run(original_node):
            return self._without_session(original_node, updated_node)
        if self._parts.plumbing.includes(original_node):
            raise refused("session-use", original_node)
        call = self._runs.call(original_node)
        return cst.parse_expression(call if original_node in self._alone else self._runs.value(call))

    def _without_session(self, call: cst.Call, new: Any) -> Any:
        """Handles ``saver.save(sess, ...)``: in eager mode a saver needs no session, and gets None instead."""
        is_saver = isinstance(call.func, cst.Attribute) and dotted_name(call.func.value) in self._runs.savers
        if not is_saver or method(call) not in ("restore", "save") or not call.args:
            return new
        first = call.args[0]
        if first.keyword is not None or dotted_name(first.value) not in self._parts.plumbing.names:
            return new
        return new.with_changes(args=[new.args[0].with_changes(value=cst.Name("None")), *new.args[1:]])


class _Blanks(cst.CSTTransformer):
    """Keeps the empty lines of statements that move into a function free of spaces."""

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if isinstance(updated_node, cst.EmptyLine) and updated_node.comment is None:
            return updated_node.with_changes(indent=False)
        return updated_node


class _Writer(LoopWriter):
    """Writes loops whose runs are calls, which may be anywhere in an expression."""

    def __init__(self, source: Source, parts: Classic, lines: GraphRuns) -> None:
        super().__init__(source, parts, lines)
        self._graph_runs = lines

    def block(self, datasets: Sequence[str], pipelines: Sequence[Sequence[Any]]) -> List[Any]:
        body = [line for one in self._parts.running for line in self._quiet(one)]
        if not self._graph_runs.wanted:
            raise refused("no-draws", self._parts.running[0])
        self._require_unseeded_parts()
        self._parts.left = [*self._waiting, *self._parts.left]
        made = {one.statements[0]: pair for one, pair in zip(self._parts.inputs, zip(datasets, pipelines))}
        kept, moved = set(self._parts.kept), set(self._parts.model.lines)
        ends = {one.statements[-1]: one for one in self._parts.inputs}
        outside: List[Any] = []
        inside: List[Any] = []
        for one in self._parts.building:
            comments = self._parts.comments.get(one, [])
            if one in made:
                outside += self._dataset(one, *made[one], comments)
            if one in ends:
                iterator = self._iterators[ends[one].statements[0]]
                inside += map(self._lines.statement, drawing_lines(self._source, ends[one], iterator))
            elif one in kept:
                outside.append(led(self._parts.feeds.with_strings(one), comments))
            elif one in moved:
                inside.append(led(one.visit(_Blanks()), comments))
            else:
                inside += self._saved(one)
        return [*outside, *self._graph(inside), *body]

    def _saved(self, one: Statement) -> List[Any]:
        """The lines that record the existing variables at the place where the program created a saver."""
        savers, made = self._graph_runs.savers, self._graph_runs.made
        names = [name for name, _ in self._graph_runs.saver_of(one)]
        return [self._lines.statement(f'{made}["{name}"] = {savers[name]}') for name in names]

    def _dataset(self, first: Any, dataset: str, pipeline: Sequence[Any], comments: Any) -> List[Any]:
        lines = [*pipeline, self._lines.statement(f"{self._iterators[first]} = iter({dataset})")]
        if pipeline:
            lines[len(pipeline)] = apart(lines[len(pipeline)])
        lines[0] = led(lines[0], [*comments, *first.leading_lines, *lost(first, lines)])
        return lines

    def _line(self, line: cst.SimpleStatementLine) -> List[Any]:
        call = value_of(line)
        symbol = self._source.names.symbol(call.func) if isinstance(call, cst.Call) else ""
        if symbol not in AFTER_GRAPHS or not isinstance(call, cst.Call):
            return super()._line(line)
        names = names_of(line)
        if len(names) != 1 or (symbol != "tf.train.Saver" and not call.args):
            raise refused("graph-op", line, call=self._source.code(call.func))
        runs = self._graph_runs
        new = runs.saver(names[0], call) if symbol == "tf.train.Saver" else runs.summary_writer(line, call)
        if uses(new) & self._parts.names:
            raise refused("graph-name", line)
        return [led(new, line.leading_lines)]

    def _graph(self, inside: List[Any]) -> List[Any]:
        """The function that builds the graph, its helpers, and the functions for the graph's parts."""
        lines, tensorflow = self._lines, self._lines.tensorflow
        made, graph = self._graph_runs.made, self._graph_runs.graph
        build, fetched, separate = map(lines.unused, ("build", "fetched", "as_in_a_graph"))
        inside[:1] = map(without_blank, inside[:1])
        parts = self._graph_runs.wanted.items()
        inside += [
            lines.statement(f'{made}["{name}"] = [{feeds}], {fetched}({self._with_step(name, fetches)})')
            for name, (feeds, fetches) in parts
        ]
        makes_each = self._parts.shares_states or self._parts.lifts_values
        if makes_each:
            block = lines.statement(f"with {tensorflow}.variable_creator_scope({separate}):\n    pass\n")
            inside = [block.with_changes(body=block.body.with_changes(body=inside))]
        function = lines.statement(f"def {build}():\n    pass\n")
        return [
            lines.statement(f"{made} = {{}}"),
            *map(apart, self._helpers(fetched)),
            *map(apart, [lines.statement(self._separate(separate, made))] if makes_each else []),
            apart(function.with_changes(body=function.body.with_changes(body=inside))),
            apart(lines.statement(f"{graph} = {tensorflow}.wrap_function({build}, [])")),
            *(lines.statement(f'{name} = {graph}.prune(*{made}["{name}"])') for name, _ in parts),
        ]

    def _separate(self, name: str, made: str) -> str:
        """The function that creates a variable as a graph does, with a random state and a name of its own."""
        tensorflow = self._lines.tensorflow
        is_tensor = f'isinstance(given["initial_value"], {tensorflow}.Tensor)'
        imported = f"{tensorflow}.import_graph_def(part, return_elements=[value.name])[0]"
        lifted = (
            f"    elif {is_tensor} and not {tensorflow}.executing_eagerly():\n"
            f'        value = given["initial_value"]\n'
            f"        part = {tensorflow}.graph_util.extract_sub_graph(value.graph.as_graph_def(), [value.op.name])\n"
            f"        with {tensorflow}.init_scope():\n"
            f'            given["initial_value"] = {tensorflow}.function(lambda: {imported}, autograph=False)()\n'
        )
        return (
            f"def {name}(next_creator, **given):\n"
            f"    if {tensorflow}.executing_eagerly():  # of an optimizer\n"
            f'        place = "variable", given["name"]\n'
            f"        count = {made}[place] = {made}.get(place, -1) + 1\n"
            f'        given["name"] = "%s_%d" % (given["name"], count) if count else given["name"]\n'
            f'    if callable(given["initial_value"]):\n'
            f"        with {tensorflow}.init_scope():\n"
            f'            given["initial_value"] = {tensorflow}.function(given["initial_value"], autograph=False)()\n'
            f"{lifted if self._parts.lifts_values else ''}"
            f"    return next_creator(**given)\n"
        )

    def _with_step(self, name: str, fetches: str) -> str:
        step = "" if self._graph_runs.may_fetch_variables else self._graph_runs.steps[name]
        return f"{fetches.rstrip(', ')}, {step}" if step else fetches

    def _helpers(self, fetched: str) -> List[Any]:
        tensorflow, as_numpy = self._lines.tensorflow, self._graph_runs.as_numpy
        one = f"one if isinstance(one, {tensorflow}.Operation) else {tensorflow}.identity(one)"
        returned = f"return {tensorflow}.nest.map_structure"
        code = [f"def {fetched}(values):\n    {returned}(lambda one: {one}, values)\n"]
        if self._graph_runs.may_fetch_variables:
            is_last = f"isinstance(one, {tensorflow}.Variable)"
            code = [
                f"def {fetched}(values):\n"
                f"    others = [one for one in {tensorflow}.nest.flatten(values) if not {is_last}]\n"
                f"    with {tensorflow}.control_dependencies(others):  # variables are read at the end\n"
                f"        {returned}(lambda one: {one}, values)\n"
            ]
        elif any(self._graph_runs.steps.values()):
            code = [
                f"def {fetched}(values, step=None):\n"
                f"    others = [one for one in {tensorflow}.nest.flatten(values) if one is not step]\n"
                f"    with {tensorflow}.control_dependencies(others if step is not None else []):\n"
                f"        after = step if step is None else {tensorflow}.identity(step)\n"
                f"    {returned}(lambda one: after if one is step else {one}, values)\n"
            ]
        if as_numpy:
            one = f"one.numpy() if isinstance(one, {tensorflow}.Tensor) else one"
            code.append(f"def {as_numpy}(values):\n    {returned}(lambda one: {one}, values)\n")
        return [*map(self._lines.statement, code)]

    def _require_unseeded_parts(self) -> None:
        """Requires that there is only one part, or that no random op is known to have a seed."""
        if len(self._graph_runs.wanted) < 2:
            return
        for line in self._parts.model.lines:
            reached = may_reach(self._source, line)
            seed = random_seed(self._source, (call for one in reached for call in every(one, cst.Call)))
            if seed:
                raise refused("seed-of-parts", line, seed=seed)

    def _new(self, one: Any, inside: bool) -> List[Any]:
        if self._is_stopped and not self._plumbing.includes(one) and self._plumbing.runs(one):
            raise refused("stopped-before", one)
        return super()._new(one, inside)
