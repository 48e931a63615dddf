"""A queue of records between the readers of a pipeline and the code that decodes them, filled in a loop or by one op.

    records = tf.RandomShuffleQueue(99, 9, [tf.string])
    enqueues = []
    for _ in range(4):
        _, value = tf.TFRecordReader().read(files)               dataset = dataset.interleave(
        enqueues.append(records.enqueue([value]))          ->        tf.data.TFRecordDataset, cycle_length=4, ...
    tf.train.add_queue_runner(                                   )
        tf.train.QueueRunner(records, enqueues))                 dataset = dataset.shuffle(99)
    record = records.dequeue()

Whether it shuffles may be decided at run time, by an ``if`` whose branches create the queue. What is left out: a queue
with other uses in the function, a queue with several components, and one that holds blocks of records.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.queue_statements import QUEUES
from queuecompat.migrate.analysis.statements import Statement, appended_to, lines_of, names_of, uses, value_of
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.pipelines.choices import chosen_lines, condition_cases
from queuecompat.migrate.rewrite.pipelines.joins import repeated
from queuecompat.migrate.rewrite.pipelines.queue_runners import Runner, calls_on, repeated_op, runner_of
from queuecompat.migrate.source.nodes import argument, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["RecordQueue", "record_queue"]


class RecordQueue(NamedTuple):
    """One such queue.

    Attributes:
      call: the call that creates it.
      lines: all statements that belong to it.
      filling: the statement that fills it.
      read: the statements before the enqueue, if a loop fills it.
      times: how often that loop runs, as an expression; "" if there is no loop.
      value: the name of the enqueued tensor.
      taking: the statement that dequeues.
      shuffle_lines: the lines that shuffle a dataset as the queue does.
    """

    call: cst.Call
    lines: Sequence[Statement]
    filling: Statement
    read: Sequence[Statement]
    times: str
    value: str
    taking: Statement
    shuffle_lines: Sequence[str]


class _Filling(NamedTuple):
    lines: Sequence[Statement]
    filling: Statement
    read: Sequence[Statement]
    times: str
    enqueue: cst.Call


def record_queue(source: Source, statements: Sequence[Statement]) -> Optional[RecordQueue]:
    """The first such queue in *statements*; None if there is none."""
    for one in statements:
        made = _made(source, one)
        found = _queue(source, statements, one, *made) if made is not None else None
        if found is not None:
            return found
    return None


def _made(source: Source, one: Statement) -> Optional[Tuple[str, List[Tuple[str, InputCall]]]]:
    """The name of the queue that *one* creates, and the calls that create it, each with its condition."""
    cases = condition_cases(source, one) if isinstance(one, cst.If) else [("", one)]
    name, found = "", []
    for condition, line in cases:
        call, names = value_of(line), names_of(line)
        symbol = source.names.symbol(call.func) if isinstance(call, cst.Call) else ""
        if symbol not in QUEUES or len(names) != 1 or (name and names != [name]):
            return None
        name = names[0]
        found.append((condition, InputCall(source, call, positions(*QUEUES[symbol]))))  # type: ignore[arg-type]
    return (name, found) if found else None


def _queue(
    source: Source, statements: Sequence[Statement], made: Statement, name: str, calls: Sequence[Tuple[str, InputCall]]
) -> Optional[RecordQueue]:
    taking = [one for one in statements for _ in calls_on(one, name, ("dequeue",))]
    filled = _filling(source, statements, name)
    shuffle = _shuffle_lines(source, calls)
    if filled is None or shuffle is None or len(taking) != 1:
        return None
    taken, value = value_of(taking[0]), _value(filled.enqueue)
    if not isinstance(taken, cst.Call) or method(taken) != "dequeue" or taken.args or len(names_of(taking[0])) != 1:
        return None
    lines = [one for one in statements if one in (made, *filled.lines, taking[0])]
    rest = [one for one in statements if one not in lines]
    if not value or any(name in uses(one) for one in rest) or not _is_apart(statements, filled, value, taking[0]):
        return None
    return RecordQueue(calls[0][1].call, lines, filled.filling, filled.read, filled.times, value, taking[0], shuffle)


def _filling(source: Source, statements: Sequence[Statement], name: str) -> Optional[_Filling]:
    """How the queue called *name* is filled; None if that is unknown, or if it is filled in several places."""
    found = [(one, call) for one in statements for call in calls_on(one, name, ("enqueue",))]
    runner = runner_of(source, statements, name)
    if len(found) != 1 or runner is None:
        return None
    one, enqueue = found[0]
    if isinstance(one, cst.For):
        return _in_loop(source, statements, one, enqueue, runner)
    op = repeated_op(runner.ops)
    named = names_of(one)
    by_name = op if isinstance(op, cst.Name) else runner.ops
    if op is not enqueue and not (isinstance(by_name, cst.Name) and named == [by_name.value]):
        return None
    value = value_of(one)
    listed = repeated_op(value) if value is not None and by_name is runner.ops else value
    if op is not enqueue and listed is not enqueue:
        return None
    if any({*named} & uses(line) for line in statements if line not in (one, runner.made)):
        return None
    return _Filling([one, runner.made, runner.added], one, [], "", enqueue)


def _in_loop(
    source: Source, statements: Sequence[Statement], loop: cst.For, enqueue: cst.Call, runner: Runner
) -> Optional[_Filling]:
    """Handles ``for _ in range(4): ...; ops.append(queue.enqueue([value]))``."""
    *read, last = lines_of(loop)
    ops, times = appended_to(last), repeated(source, loop, loop.body)
    if not ops or times is None or loop.orelse is not None or not isinstance(runner.ops, cst.Name):
        return None
    if last.body[0].value.args[0].value is not enqueue or runner.ops.value != ops:  # type: ignore[index, union-attr]
        return None
    begun = [one for one in statements if names_of(one) == [ops]]
    others = [one for one in statements if ops in uses(one) and one not in (*begun, loop, runner.made)]
    if len(begun) != 1 or not _is_empty(value_of(begun[0])) or others or any(ops in uses(one) for one in read):
        return None
    return _Filling([*begun, loop, runner.made, runner.added], loop, read, times, enqueue)


def _is_empty(value: Any) -> bool:
    if isinstance(value, cst.List):
        return not value.elements
    return isinstance(value, cst.Call) and dotted_name(value.func) == "list" and not value.args


def _value(enqueue: cst.Call) -> str:
    """The name of the single enqueued tensor; "" if something else is enqueued."""
    given = argument(enqueue, "vals", 0)
    if isinstance(given, (cst.List, cst.Tuple)) and len(given.elements) == 1:
        given = given.elements[0].value
    return given.value if isinstance(given, cst.Name) and len(enqueue.args) == 1 else ""


def _is_apart(statements: Sequence[Statement], filled: _Filling, value: str, taking: Statement) -> bool:
    """Whether the enqueued tensor is used for nothing else, unless it has the name of the dequeued one."""
    taken = names_of(taking)[0]
    first, last = statements.index(filled.filling), statements.index(taking)
    between = [one for one in statements[first + 1 : last] if one not in filled.lines]
    before = [one for one in statements[:first] if value in uses(one)]
    if first > last or len(before) > (0 if filled.times else 1) or any({value, taken} & uses(one) for one in between):
        return False
    if value == taken:
        return True
    is_used = any(value in uses(one) for one in statements[last + 1 :])
    return not is_used and not any(taken in uses(one) for one in filled.lines)


def _shuffle_lines(source: Source, calls: Sequence[Tuple[str, InputCall]]) -> Optional[List[str]]:
    """The lines that shuffle as these queues do; None if a queue has further features."""
    found: List[Tuple[str, List[str]]] = []
    for condition, queue in calls:
        if queue.code("names") not in ("", "None") or any(one.star for one in queue.call.args):
            return None
        if source.names.symbol(queue.call.func) != "tf.RandomShuffleQueue":
            found.append((condition, []))
            continue
        seed = queue.code("seed")
        rest = f", seed={seed}" if seed not in ("", "None") else ""
        found.append((condition, [f"dataset = dataset.shuffle({queue.code('capacity')}{rest})"]))
    return chosen_lines(found)
