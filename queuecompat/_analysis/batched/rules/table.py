"""How a rule is written down: a function of a ``Call`` that makes the op's batched form, under a name.

Which op types a rule is for is a column of ``op_facts``.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Sequence, Union

from queuecompat._analysis.batched.values import Call, Value

__all__ = ["RULES", "Rule", "rule"]

# A tensor has a row for each element; a ``Value`` says so itself; None: this output has no batched form.
Outputs = Sequence[Union[Any, Value, None]]


@dataclasses.dataclass(frozen=True)
class Rule:
    """*rewrite* makes the outputs of an op for a whole batch.

    *may_fail*: whether the op can fail on some values. Both branches of a condition run on all elements, so such an op
    may not stand in one.
    """

    rewrite: Callable[[Call], Outputs]
    may_fail: Callable[[Call], bool]


RULES: Dict[str, Rule] = {}


def rule(name: str, may_fail: Union[bool, Callable[[Call], bool]] = False) -> Callable[[Any], Any]:
    """Enters the function that it decorates into ``RULES``."""

    def enter(rewrite: Callable[[Call], List[Any]]) -> Callable[[Call], List[Any]]:
        fails = may_fail if callable(may_fail) else lambda call: bool(may_fail)
        RULES[name] = Rule(rewrite, fails)
        return rewrite

    return enter
