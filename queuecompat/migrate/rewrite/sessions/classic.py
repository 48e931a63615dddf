"""Splits a block of the classic TensorFlow 1 form into its parts: pipelines, one session, and loops that run it.

    images, labels = inputs(files)                     a pipeline
    loss = tf.reduce_mean(...)                         the model: what is computed from a batch
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:                         plumbing, which is removed
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():             the running part, from the first run on
                _, value = sess.run([train_op, loss])
        except tf.errors.OutOfRangeError:
            print("done")
        finally:
            coord.request_stop()
        coord.join(threads)

``single_loop`` recognises the form above, which ``loops`` writes as a ``for`` loop over a dataset. ``iterator_loops``
writes all other forms, with an iterator from which each run takes a batch. ``graph_functions`` handles blocks whose
model has to stay a graph.

A block of any other form raises ``UnsupportedPatternError`` with the place and the reason: a program is rewritten as a
whole or not at all.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterable, List, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import reachable
from queuecompat.migrate.analysis.purity import closure_reads
from queuecompat.migrate.analysis.statements import Statement, may_write, names_of, parts_of, uses
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.closures import require_no_readers
from queuecompat.migrate.rewrite.sessions.comments import comments_of, without_empty
from queuecompat.migrate.rewrite.sessions.eager import require_eager, require_unshared_seeds
from queuecompat.migrate.rewrite.sessions.feed_dicts import FeedDicts
from queuecompat.migrate.rewrite.sessions.inputs import Input, inputs_of
from queuecompat.migrate.rewrite.sessions.model import Model
from queuecompat.migrate.rewrite.sessions.plumbing import MONITORED, SESSIONS, Plumbing
from queuecompat.migrate.rewrite.sessions.templates import require_unshared_variables
from queuecompat.migrate.rewrite.sessions.variables import Variables
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Classic", "block_of", "classic"]

_OF_SUPERVISORS = {"managed_session", "prepare_or_wait_for_session"}


@dataclasses.dataclass
class Classic:
    """A block of the classic form, in its parts.

    Attributes:
      plumbing: recognises the statements that are only plumbing.
      inputs: the pipelines of the block.
      model: the statements that are computed from their batches.
      feeds: the dicts that are fed to runs.
      building: the statements before the first run, including pipelines, model and plumbing.
      kept: those of *building* that stay in place.
      running: all statements from the first run on.
      template: the name of the function that creates the model's variables; "" if there is none.
      shares_states: whether, in a graph, its variables need separate random states, or numbered names.
      lifts_values: whether, in a graph, the initial value of a variable may be a tensor.
      methods: attributes by which statements of the graph call methods of objects that are not tensors.
      left: comments of removed statements that no remaining statement follows.
    """

    plumbing: Plumbing
    inputs: Sequence[Input]
    model: Model
    feeds: FeedDicts
    building: Sequence[Statement]
    kept: List[Statement]
    running: Sequence[Statement]
    template: str = ""
    shares_states: bool = False
    lifts_values: bool = False
    methods: List[cst.Attribute] = dataclasses.field(default_factory=list)
    left: List[cst.EmptyLine] = dataclasses.field(default_factory=list)

    @property
    def names(self) -> Set[str]:
        """The names that are removed, because they have a meaning only in a graph."""
        return self.plumbing.names | self.model.names

    def take_comments(self, stays: Iterable[Statement]) -> None:
        """Moves the comments of plumbing to the next statement that *stays*, or to the start of a pipeline."""
        places = {*stays, *(one.statements[0] for one in self.inputs), *self.running}
        for one in self.plumbing.statements:
            goes = self.plumbing.includes(one)
            if goes:
                self.left += [*without_empty(self.comments.pop(one, [])), *comments_of(one)]
            elif one in places and self.left:
                self.comments[one] = [*self.left, *self.comments.get(one, [])]
                self.left = []

    @property
    def comments(self) -> Dict[Statement, List[cst.EmptyLine]]:
        """Comments above removed blocks, keyed by the statement that now comes first."""
        return self.plumbing.comments


def classic(source: Source, statements: Sequence[Statement]) -> Classic:
    """The parts of the block *statements*.

    Raises:
      UnsupportedPatternError: the block does not have the classic form.
    """
    parts = block_of(source, statements)
    _read(source, parts)
    _require_unchanged(source, parts)
    require_no_readers(
        source, [*parts.model.moved, *(line for one in parts.inputs for line in one.statements)], parts.running
    )
    parts.template = require_unshared_variables(source, parts.model.moved)
    require_unshared_seeds(source, [*parts.kept, *parts.model.moved, *parts.running])
    parts.take_comments(parts.kept)
    return parts


def block_of(source: Source, statements: Sequence[Statement]) -> Classic:
    """As ``classic``, but without the model: plumbing, pipelines, and where the running part begins.

    Raises:
      UnsupportedPatternError: a pipeline or a session is missing, or there is more than one session.
    """
    _require_one_session(source, statements)
    plumbing = Plumbing(source, statements)
    inputs = inputs_of(source, plumbing)
    flat = plumbing.statements
    last = flat.index(inputs[-1].statements[-1])
    first_run = next((place for place, one in enumerate(flat) if _runs(plumbing, one)), None)
    if first_run is None:
        raise _never_run(source, plumbing, last)
    if first_run < last:
        raise refused("run-too-early", flat[first_run])
    feeds = FeedDicts(source, plumbing, flat)
    parts = Classic(plumbing, inputs, Model(source, inputs), feeds, flat[:first_run], [], flat[first_run:])
    _require_no_second_start(source, parts)
    return parts


def _never_run(source: Source, plumbing: Plumbing, last: int) -> UnsupportedPatternError:
    """Why no statement after index *last*, the end of the pipelines, runs the session."""
    flat = plumbing.statements
    for one in flat[last + 1 :]:
        for call in every(one, cst.Call):
            if method(call) in _OF_SUPERVISORS:
                return refused("supervisor", one, call=source.code(call.func))
            given = [arg.keyword.value for arg in call.args if arg.keyword and arg.keyword.value != "config"]
            if plumbing.called(call) in MONITORED and given:
                return refused("session-argument", one, name=given[0])
            asks = method(call) == "eval" or any(arg.keyword and arg.keyword.value == "session" for arg in call.args)
            if asks and isinstance(call.func, cst.Attribute) and method(call) in ("eval", "run"):
                return refused("run-by-eval", one, call=source.code(call.func))
    return refused("never-run", flat[last])


def _runs(plumbing: Plumbing, one: Statement) -> bool:
    """Whether *one* runs the session, other than for an initializer."""
    if isinstance(one, (cst.ClassDef, cst.FunctionDef)) or plumbing.includes(one):
        return False
    return bool(plumbing.runs(one))


def _require_one_session(source: Source, statements: Sequence[Statement]) -> None:
    """Refuses a second session, because it would have queues and variables of its own that start again."""
    made = [
        call
        for one in statements
        if not isinstance(one, (cst.ClassDef, cst.FunctionDef))
        for call in every(one, cst.Call)
        if source.names.symbol(call.func) in SESSIONS
    ]
    for call in made:
        if call is not made[0] and _are_alternatives(source, made[0], call):
            raise refused("session-in-branches", call)
        if call is not made[0] or _is_in_a_loop(source, call):
            raise refused("second-session", call)


def _are_alternatives(source: Source, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether *one* is in the first branch of an ``if``, and *other* in another branch."""
    choice = source.around(one, cst.If)
    while choice is not None:
        branches = (choice.body, choice.orelse)
        if all(branch is not None and node in set(parts_of(branch)) for node, branch in zip((one, other), branches)):
            return True
        choice = source.around(choice, cst.If)
    return False


def _require_no_second_start(source: Source, parts: Classic) -> None:
    """Refuses to initialize variables after a run, because they lose their values."""
    began = False
    for one in parts.running:
        for call in every(one, cst.Call):
            is_run, starts = parts.plumbing.is_run(call), parts.plumbing.starts(call)
            if starts and (began or _is_in_a_loop(source, call)):
                raise refused("second-start", call)
            if is_run and not starts and call.args and parts.plumbing.includes(call.args[0].value):
                raise refused("initializers-with-more", call)
            began = began or (is_run and not starts)


def _is_in_a_loop(source: Source, node: cst.CSTNode) -> bool:
    return isinstance(source.around(node, (cst.For, cst.FunctionDef, cst.While)), (cst.For, cst.While))


def _read(source: Source, parts: Classic) -> None:
    """Sorts the statements before the first run."""
    ends = {one.statements[-1]: one for one in parts.inputs}
    of_inputs = {line for one in parts.inputs for line in one.statements}
    variables = Variables(source)
    for one in parts.building:
        if one in ends:
            parts.model.add_batch(ends[one])
        elif one not in of_inputs and (parts.feeds.makes(one) or not _is_plumbing_or_model(parts, one, variables)):
            _keep(source, parts, one)
    for one in of_inputs:
        fed = sorted((uses(one) | _of_functions(source, one)) & set(parts.model.placeholders.types))
        if fed:
            raise refused("fed-pipeline", one, name=fed[0])
    for one in [*parts.model.lines, *parts.running]:
        fleeting = sorted(uses(one) & variables.fleeting)
        if fleeting:
            raise refused("recomputed", one, name=fleeting[0])


def _is_plumbing_or_model(parts: Classic, one: Statement, variables: Variables) -> bool:
    """Whether *one* is plumbing, or a part of the model."""
    if parts.plumbing.includes(one):
        return True
    if isinstance(one, cst.SimpleStatementLine):
        if parts.model.take(one):
            return True
        return not variables.note(one) and variables.are_read(one) and parts.model.take(one, every_run=True)
    variables.note(one)
    return False


def _keep(source: Source, parts: Classic, one: Statement) -> None:
    require_eager(source, one)
    names = uses(parts.feeds.with_strings(one))
    if names & parts.plumbing.names:
        raise refused("session-use", one)
    if names & parts.model.tensors:
        raise refused("tensor-outside", one)
    if names & parts.model.names:
        raise refused("training-outside", one)
    parts.kept.append(one)


def _require_unchanged(source: Source, parts: Classic) -> None:
    """Requires that a statement which moves to a run reads the same values there as in its old place."""
    moved = set(parts.model.moved)
    changed: Set[str] = set()
    given: Set[str] = set().union(*(names_of(line) for line in parts.model.lines))
    given = given.union(*(one.names for one in parts.inputs))
    for one in reversed([*parts.building, *parts.running]):
        if one in moved:
            both = sorted(((uses(one) - given) | _of_functions(source, one)) & changed)
            if both:
                raise refused("changed-before-run", one, name=both[0])
        else:
            changed |= may_write(source, one) - (parts.plumbing.names - given)


def _of_functions(source: Source, one: Statement) -> Set[str]:
    """The variables of the file that functions called by *one* read."""
    return set().union(*(closure_reads(source, function) for function in list(reachable(source, one))[1:]))
