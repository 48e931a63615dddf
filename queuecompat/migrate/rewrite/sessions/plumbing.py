"""Recognises plumbing: the sessions, initializers, coordinators and threads that an eager program does not need.

``Plumbing`` reads a block once, removes the ``with`` blocks that only a graph needs, and collects the names of all
plumbing. It can then decide for any statement whether it is only plumbing.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.statements import Statement, assigned_names, uses
from queuecompat.migrate.rewrite.imports.graph_mode import GRAPH_MODE
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.comments import comments_of
from queuecompat.migrate.rewrite.sessions.variables import MAKERS
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["MONITORED", "SESSIONS", "Plumbing"]

_SESSIONS = {"tf.InteractiveSession", "tf.Session"}
# Without hooks, checkpoints and a master they work like a plain session.
MONITORED = {"tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession", "tf.train.SingularMonitoredSession"}
SESSIONS = frozenset(_SESSIONS | MONITORED)
_INITIALIZERS = {
    "tf.global_variables_initializer", "tf.initialize_all_variables", "tf.initialize_local_variables",
    "tf.local_variables_initializer", "tf.tables_initializer",
}  # fmt: skip
_PLUMBING = {
    "tf.ConfigProto", "tf.GPUOptions", "tf.Graph", "tf.reset_default_graph", "tf.train.Coordinator",
    "tf.train.start_queue_runners",
    *_INITIALIZERS, *_SESSIONS,
}  # fmt: skip
# Blocks without an effect on values once there is no graph.
_TRANSPARENT = {"tf.contrib.slim.queues.QueueRunners", "tf.device", "tf.name_scope"}


class Plumbing:
    """The plumbing of one block.

    Attributes:
      statements: the statements of the block, without surrounding blocks that only a graph needs.
      names: the names of sessions, graphs, coordinators, threads and initializers.
      variables: the names of TensorFlow variables.
      monitored: the statements in the block of a monitored session, which ends without an error at the end of data.
      comments: comments above removed blocks, keyed by the statement that now comes first.
    """

    def __init__(self, source: Source, statements: Sequence[Statement]) -> None:
        self._source = source
        self._sessions: Set[str] = set()
        self.names: Set[str] = set()
        self.variables: Set[str] = set()
        self.monitored: List[Statement] = []
        self.comments: Dict[Statement, List[cst.EmptyLine]] = {}
        self.statements = list(self._flattened(statements))

    def _flattened(self, statements: Sequence[Statement]) -> Iterator[Statement]:
        """The statements, without surrounding blocks that only a graph needs."""
        for one in statements:
            if not isinstance(one, cst.With):
                self._note_all([one])
                yield one
                continue
            inside = [self._is_without_effect(item) for item in one.items]
            if not all(inside) or not (self._has_session(one) or is_queue_statement(self._source, one)):
                self._note_all([one])
                yield one
                continue
            if not isinstance(one.body, cst.IndentedBlock):
                raise refused("one-line-with", one)
            body = list(self._flattened(one.body.body))  # type: ignore[arg-type]
            if any(self.called(item.item) in MONITORED for item in one.items):
                self.monitored += body
            self.comments[body[0]] = [*_comments(one), *self.comments.get(body[0], [])]
            yield from body

    def _note_all(self, statements: Sequence[cst.CSTNode]) -> None:
        """Records the names that lines assign, including lines in ``try`` and ``with``, which run only once."""
        for one in statements:
            if isinstance(one, cst.SimpleStatementLine):
                self._note(one)
            elif isinstance(one, cst.With):
                for item in one.items:
                    self._is_without_effect(item)
                self._note_all(one.body.body)
            elif isinstance(one, cst.Try):
                self._note_all(one.body.body)
            elif isinstance(one, cst.For) and self._starts_runners(one):
                self.names.update(name for call in _collecting(one) for name in assigned_names(call.func.value))  # type: ignore[attr-defined]
            elif isinstance(one, cst.For) and isinstance(one.target, cst.Name) and self.includes(one.iter):
                self.names.add(one.target.value)  # one initializer after the other

    def _note(self, line: cst.SimpleStatementLine) -> None:
        """Records the names of sessions, graphs and coordinators."""
        [*_, statement] = line.body
        if isinstance(statement, cst.Assign):
            symbol = self.called(statement.value)
            names = [name for target in statement.targets for name in assigned_names(target.target)]
            if self.includes(statement.value):
                self.names.update(names)
            if symbol in _SESSIONS:
                self._sessions.update(names)
            values = statement.value.elements if isinstance(statement.value, cst.Tuple) else []
            if symbol in MAKERS:
                self.variables.update(names)
            elif len(values) == len(names):
                made = [(name, self.called(value.value)) for name, value in zip(names, values)]
                self.variables.update(name for name, symbol in made if symbol in MAKERS)
                self._sessions.update(name for name, symbol in made if symbol in _SESSIONS)

    def _is_without_effect(self, item: cst.WithItem) -> bool:
        symbol = self.called(item.item)
        if self._makes_session(item.item) and item.asname is not None:
            names = assigned_names(item.asname.name)
            self._sessions.update(names)
            self.names.update(names)
            return True
        if item.asname is not None and symbol in _TRANSPARENT:
            return False  # the program may use the scope's name
        if symbol in _TRANSPARENT or (isinstance(item.item, cst.Name) and item.item.value in self._sessions):
            return True
        if isinstance(item.item, cst.Call) and method(item.item) == "as_default":
            graph = item.item.func.value  # type: ignore[attr-defined]
            if item.asname is not None:
                self.names.update(assigned_names(item.asname.name))
            return self.called(graph) == "tf.Graph" or dotted_name(graph) in self.names
        return False

    def is_transparent(self, block: cst.With) -> bool:
        """Whether *block* has no effect once there is no graph."""
        return all(self._is_without_effect(item) for item in block.items)

    def items_with_effect(self, block: cst.With) -> List[cst.WithItem]:
        """The items of *block* that have an effect even without a graph."""
        return [item for item in block.items if not self._is_without_effect(item)]

    def _has_session(self, node: cst.CSTNode) -> bool:
        return bool(uses(node) & self._sessions) or any(self._makes_session(call) for call in every(node, cst.Call))

    def _makes_session(self, node: cst.CSTNode) -> bool:
        if self.called(node) in MONITORED and isinstance(node, cst.Call):
            return all(one.keyword is not None and one.keyword.value == "config" for one in node.args)
        return self.called(node) in _SESSIONS

    def called(self, node: cst.CSTNode) -> str:
        """The TensorFlow function that *node* calls, in the table's form; "" if it is not one."""
        return self._source.names.symbol(node.func) if isinstance(node, cst.Call) else ""

    def includes(self, node: cst.CSTNode) -> bool:
        """Whether *node* concerns only session, threads and initializers."""
        if isinstance(node, cst.SimpleStatementLine):
            return all(map(self.includes, node.body))
        if isinstance(node, cst.For):
            return self._starts_runners(node) or self._runs_initializers(node)
        if isinstance(node, cst.Expr):
            return self.includes(node.value)
        if isinstance(node, cst.Assign):
            target = node.targets[0].target
            if isinstance(target, cst.Tuple):
                # ``init, local_init = tf.global_variables_initializer(), tf.local_variables_initializer()``
                parts = [element.value for element in target.elements]
                is_own = all(isinstance(one, cst.Name) and one.value in self.names for one in parts)
                return is_own and self.includes(node.value)
            root, _, attribute = dotted_name(target).partition(".")
            is_begun = isinstance(node.value, cst.List) and not node.value.elements  # threads = []
            return root in self.names and (bool(attribute) or is_begun or self.includes(node.value))
        if isinstance(node, cst.Call):
            return self._is_call(node)
        if isinstance(node, (cst.List, cst.Tuple)):
            return bool(node.elements) and all(self.includes(element.value) for element in node.elements)
        return isinstance(node, cst.Name) and node.value in self.names

    def _starts_runners(self, loop: cst.For) -> bool:
        """Recognises a loop that starts all queue runners.

        ``for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS): threads.extend(qr.create_threads(...))``
        """
        key = argument(loop.iter, "key", 0) if isinstance(loop.iter, cst.Call) else None
        is_asked = (
            key is not None
            and self.called(loop.iter) == "tf.get_collection"
            and self._source.names.symbol(key) == "tf.GraphKeys.QUEUE_RUNNERS"
        )
        calls = list(every(loop.body, cst.Call))
        own = set(assigned_names(loop.target))
        started = [one for one in calls if method(one) == "create_threads" and uses(one.func) == own]
        collected = [one for one in _collecting(loop) if one not in started]
        is_line = len(loop.body.body) == 1 and isinstance(loop.body.body[0], cst.SimpleStatementLine)
        plain = len(started) == 1 and len(started) + len(collected) == len(calls) <= 2
        return is_asked and is_line and plain and loop.orelse is None

    def _runs_initializers(self, loop: cst.For) -> bool:
        """Recognises ``for init in [tf.global_variables_initializer(), tf.tables_initializer()]: sess.run(init)``."""
        lines = loop.body.body
        is_plain = all(isinstance(one, (cst.Expr, cst.SimpleStatementLine)) for one in lines) and loop.orelse is None
        target = loop.target.value if isinstance(loop.target, cst.Name) else ""
        return is_plain and target in self.names and self.includes(loop.iter) and all(map(self.includes, lines))

    def _is_call(self, call: cst.Call) -> bool:
        symbol, root = self.called(call), dotted_name(call.func).partition(".")[0]
        if symbol in _PLUMBING or symbol in GRAPH_MODE:
            return True
        if symbol == "tf.group" or self.is_run(call):
            return bool(call.args) and all(self.includes(one.value) for one in call.args)
        if method(call) == "run" and isinstance(call.func, cst.Attribute):
            return self.includes(call.func.value)
        return root in self.names and method(call) in ("close", "finalize", "join", "request_stop")

    def is_run(self, call: cst.Call) -> bool:
        """Whether *call* runs the session."""
        return method(call) == "run" and dotted_name(call.func).rpartition(".")[0] in self._sessions

    def starts(self, call: cst.Call) -> bool:
        """Whether *call* runs initializers: ``sess.run(init)`` or ``init.run()``."""
        return method(call) == "run" and not isinstance(call.func, cst.Name) and self.includes(call)

    def runs(self, node: cst.CSTNode) -> List[cst.Call]:
        """The calls in *node* that run the session."""
        return [call for call in every(node, cst.Call) if self.is_run(call)]


def _collecting(loop: cst.For) -> List[cst.Call]:
    """The calls in *loop* that add to a list: ``threads.extend(...)``."""
    return [one for one in every(loop.body, cst.Call) if method(one) in ("append", "extend")]


def _comments(block: cst.With) -> List[cst.EmptyLine]:
    """The comments and empty lines above a block that are kept, and the comment after its colon."""
    return [*(line for line in block.leading_lines if line.comment is None), *comments_of(block)]
