"""The registry of rules: a rule is a function of a ``Call`` that makes the op's batched form, registered by name.

``op_facts`` has a column that says which rule each op type uses.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Sequence, Union

from queuecompat._analysis.batched.values import Call, Value

__all__ = ["RAGGED_RULES", "RULES", "Rule", "ragged_rule", "rule"]

# An output is a tensor with a row for each element, a ``Value``, or None if it has no batched form.
Outputs = Sequence[Union[Any, Value, None]]


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
      rewrite: makes the outputs of an op for a whole batch.
      may_fail: whether the op can fail on some values. Such an op may not be in a branch, since both branches of a
        condition run on all elements.
      each_item: whether it works on single items, so that for elements that differ in length it can be applied to all
        their items at once (``ragged``).
      broadcasts: whether its inputs are broadcast to one shape, in the case of *each_item*.
    """

    rewrite: Callable[[Call], Outputs]
    may_fail: Callable[[Call], bool]
    each_item: bool
    broadcasts: bool


RULES: Dict[str, Rule] = {}
# Used instead of ``RULES`` if an input differs in length between elements (``Ragged``).
RAGGED_RULES: Dict[str, Callable[[Call], Outputs]] = {}


def rule(
    name: str,
    may_fail: Union[bool, Callable[[Call], bool]] = False,
    *,
    each_item: bool = False,
    broadcasts: bool = True,
) -> Callable[[Any], Any]:
    """Registers the decorated function in ``RULES``."""

    def register(rewrite: Callable[[Call], List[Any]]) -> Callable[[Call], List[Any]]:
        fails = may_fail if callable(may_fail) else lambda call: bool(may_fail)
        RULES[name] = Rule(rewrite, fails, each_item, broadcasts)
        return rewrite

    return register


def ragged_rule(name: str) -> Callable[[Any], Any]:
    """Registers the decorated function in ``RAGGED_RULES``."""

    def register(rewrite: Callable[[Call], List[Any]]) -> Callable[[Call], List[Any]]:
        RAGGED_RULES[name] = rewrite
        return rewrite

    return register
