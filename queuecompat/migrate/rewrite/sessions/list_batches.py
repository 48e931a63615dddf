"""Batches that are lists: a dataset turns them into tuples, and the rewritten program turns these back into lists.

    values = sess.run(batch)         ->    batch = list(batches.get_next())
    values.append(step)                    values = ...

This happens only where the program could notice the difference; most programs only unpack their batches.
"""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple

import libcst as cst

from queuecompat.migrate.analysis.lists import depth_of_lists, is_list, used_as_list
from queuecompat.migrate.analysis.statements import assigned_names, bare, target_of, value_of
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.source.parsing import Source

__all__ = ["drawing_lines", "lists_of"]


def drawing_lines(source: Source, one: Input, iterator: str) -> List[str]:
    """The lines that take a batch of the pipeline from *iterator*.

    Raises:
      UnsupportedPatternError: see ``lists_of``.
    """
    lists, drawn = lists_of(source, one), f"{iterator}.get_next()"
    batch = source.code(bare(one.batch))
    if isinstance(one.batch, cst.Name) and lists:
        return [f"{batch} = list({drawn})"]
    return [f"{batch} = {drawn}", *(f"{name} = list({name})" for name in lists)]


def lists_of(source: Source, one: Input) -> List[str]:
    """The names of a batch that hold lists, and that the program uses as lists.

    Raises:
      UnsupportedPatternError: it is unknown whether one is a list, or the program uses lists nested in one as lists.
    """
    around = source.around(one.statements[-1], cst.FunctionDef) or source.tree
    found = []
    for name, value, place in _given(one):
        if used_as_list(source, name, around, one.statements):
            answer = is_list(source, value, place)
            if answer is None:
                call = value.func if isinstance(value, cst.Call) else value
                raise refused("list-of-batch", one.statements[-1], call=source.code(call))
            found += [name] if answer else []
        depth = depth_of_lists(source, value, place)
        if depth and used_as_list(source, name, around, one.statements, depth=depth):
            raise refused("list-in-batch", one.statements[-1], name=name)
    return found


def _given(one: Input) -> Iterator[Tuple[str, cst.BaseExpression, Optional[int]]]:
    """Each name of the batch, with the last value assigned to it, and the index of the part of that value."""
    for name in one.names:
        for line in reversed(one.statements):
            target, value = target_of(line), value_of(line)
            names = [] if target is None else assigned_names(target)
            if name in names and value is not None:
                yield name, value, None if isinstance(target, cst.Name) else names.index(name)
                break
