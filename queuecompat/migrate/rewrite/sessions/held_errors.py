"""Coordinators that receive the errors of a loop, and raise them when the threads are joined.

    with coord.stop_on_exception():                try:
        while not coord.should_stop():                 while True:
            ...                            ->              ...
    coord.join(threads)                            except tf.errors.OutOfRangeError:
                                                       pass  # The end of data.

    try: ...                                       try: ...
    except Exception as e:                 ->      except tf.errors.OutOfRangeError:
        coord.request_stop(e)                          pass
    finally:
        coord.request_stop()
        coord.join(threads)

Rule: a coordinator does not treat the end of data as an error. Every other error may be raised immediately, because
      only plumbing comes between it and the join.
"""

from __future__ import annotations

from typing import Sequence

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.statements import Statement, assigned_names
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.plumbing import Plumbing
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["hands_over", "holds_errors", "require_joined"]


def holds_errors(source: Source, plumbing: Plumbing, block: cst.With) -> bool:
    """Whether *block* is a ``with coord.stop_on_exception()``."""
    calls = [one.item for one in block.items if one.asname is None and isinstance(one.item, cst.Call)]
    named = [one for one in calls if method(one) == "stop_on_exception" and _is_plain(source, plumbing, one)]
    return len(named) == len(block.items) == 1


def hands_over(source: Source, plumbing: Plumbing, handler: cst.ExceptHandler) -> bool:
    """Whether *handler* passes every error to a coordinator, and does nothing else."""
    kind, name = handler.type, assigned_names(handler.name.name) if handler.name else []
    if not isinstance(kind, cst.Name) or kind.value != "Exception" or source.names.definitions(kind) or not name:
        return False
    calls = [call for one in handler.body.body for call in every(one, cst.Call)]
    given = [dotted_name(one.value) for call in calls for one in call.args]
    is_stop = [method(call) for call in calls] == ["request_stop"] and given == name
    return (
        is_stop and all(plumbing.includes(one) for one in handler.body.body) and _is_plain(source, plumbing, calls[0])
    )


def _is_plain(source: Source, plumbing: Plumbing, call: cst.Call) -> bool:
    """Whether *call* is a method of a coordinator of the block for which only the end of data is not an error."""
    made = [one for one in source.every(cst.Call) if source.names.symbol(one.func) == "tf.train.Coordinator"]
    return dotted_name(call.func).partition(".")[0] in plumbing.names and not any(one.args for one in made)


def require_joined(plumbing: Plumbing, one: cst.CSTNode, following: Sequence[Statement]) -> None:
    """Requires that *following* joins the threads, with only plumbing before that.

    Raises:
      UnsupportedPatternError: at *one*.
    """
    for other in following:
        if not plumbing.includes(other):
            break
        if any(method(call) == "join" for call in every(other, cst.Call)):
            return
    raise refused("held-error", one)
