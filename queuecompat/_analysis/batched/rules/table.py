"""How a rule is written down: a function of a ``Call`` that makes the op's batched form, under a name.

Which op types a rule is for is a column of ``op_facts``.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Sequence, Union

from queuecompat._analysis.batched.values import Call, Value

__all__ = ["RAGGED_RULES", "RULES", "Rule", "ragged_rule", "rule"]

# A tensor has a row for each element; a ``Value`` says so itself; None: this output has no batched form.
Outputs = Sequence[Union[Any, Value, None]]


@dataclasses.dataclass(frozen=True)
class Rule:
    """*rewrite* makes the outputs of an op for a whole batch.

    *may_fail*: whether the op can fail on some values. Both branches of a condition run on all elements, so such an op
    may not stand in one.
    *each_item*: of elements that differ in length it can be given the items of all (``ragged``); *broadcasts*: its
    inputs have one shape then.
    """

    rewrite: Callable[[Call], Outputs]
    may_fail: Callable[[Call], bool]
    each_item: bool
    broadcasts: bool


RULES: Dict[str, Rule] = {}
# In place of those, where an input differs in length from element to element (``Ragged``).
RAGGED_RULES: Dict[str, Callable[[Call], Outputs]] = {}


def rule(
    name: str,
    may_fail: Union[bool, Callable[[Call], bool]] = False,
    *,
    each_item: bool = False,
    broadcasts: bool = True,
) -> Callable[[Any], Any]:
    """Enters the function that it decorates into ``RULES``."""

    def enter(rewrite: Callable[[Call], List[Any]]) -> Callable[[Call], List[Any]]:
        fails = may_fail if callable(may_fail) else lambda call: bool(may_fail)
        RULES[name] = Rule(rewrite, fails, each_item, broadcasts)
        return rewrite

    return enter


def ragged_rule(name: str) -> Callable[[Any], Any]:
    """Enters the function that it decorates into ``RAGGED_RULES``."""

    def enter(rewrite: Callable[[Call], List[Any]]) -> Callable[[Call], List[Any]]:
        RAGGED_RULES[name] = rewrite
        return rewrite

    return enter
