"""The branches of an ``if``; a function that returns early as an ``if`` with ``else``.

if not train:                                            if not train:
    return tf.train.batch([image], 8)                        return tf.train.batch([image], 8)
return tf.train.shuffle_batch([image], 8, 99, 9)   ->    else:
                                                             return tf.train.shuffle_batch([image], 8, 99, 9)
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

import libcst as cst

__all__ = ["branches", "has_else", "returns", "with_branches", "with_else"]


def branches(one: Any) -> Iterator[Any]:
    """The branches of an ``if``, including ``else``."""
    while one is not None:
        yield one
        one = getattr(one, "orelse", None)


def has_else(one: cst.If) -> bool:
    """Whether an ``if``, or the last ``elif`` of it, has an ``else``."""
    return any(isinstance(case, cst.Else) for case in branches(one))


def returns(one: cst.If) -> bool:
    """Whether all branches of an ``if`` end with ``return``, except for an ``else`` that it lacks."""
    ends = [case.body.body[-1] for case in branches(one)]
    return all(isinstance(end, cst.SimpleStatementLine) and isinstance(end.body[-1], cst.Return) for end in ends)


def with_else(one: cst.If, rest: Sequence[Any]) -> cst.If:
    """An ``if`` without ``else``, all of whose branches return, with the statements after it as its last branch."""
    if isinstance(one.orelse, cst.If):
        return one.with_changes(orelse=with_else(one.orelse, rest))
    first, *others = rest
    if isinstance(first, cst.If) and returns(first):
        is_whole = has_else(first)
        if is_whole and not others:
            return one.with_changes(orelse=first)
        if not is_whole and others:
            return one.with_changes(orelse=with_else(first, others))
    return one.with_changes(orelse=cst.Else(cst.IndentedBlock(rest)))


def with_branches(one: Any, changed: Callable[[Sequence[Any]], Sequence[Any]]) -> Any:
    """An ``if`` with the statements *changed* returns for those of each branch; a branch without any passes."""
    if one is None:
        return None
    body = list(changed(one.body.body)) or [cst.SimpleStatementLine([cst.Pass()])]
    new = one.with_changes(body=one.body.with_changes(body=body))
    return new.with_changes(orelse=with_branches(one.orelse, changed)) if isinstance(one, cst.If) else new
