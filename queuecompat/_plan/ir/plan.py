"""A plan, and the base class of its steps."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.bodies import Components
from queuecompat._plan.options import DEFAULTS, Options

__all__ = ["Plan", "Seeds", "Step"]

Seeds = Tuple[Optional[int], Optional[int]]


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of a plan.

    Attributes:
      components: the specs of the tensors of each element that it outputs.
    """

    components: Components


@dataclasses.dataclass(frozen=True)
class Plan:
    """All steps of one terminal.

    Attributes:
      name: the name of the stage that the plan ends with.
      made_at: the user's line that made that stage.
      is_preview: whether the plan reads a preview (see ``stages``, Rule 3) rather than training data.
      options: the options that the program chose beyond TF1's behaviour.
      uncached: why nothing is cached although the program chose a cache; empty otherwise.
      unindexed: why random ops do not draw by record although the program chose ``random="by_index"``; empty otherwise.
      is_remote: whether the workers of ``options.data_service`` compute the plan up to its first batch.
    """

    name: str
    made_at: str
    steps: Tuple[Step, ...]
    is_preview: bool = False
    options: Options = DEFAULTS
    uncached: str = ""
    unindexed: str = ""
    is_remote: bool = False

    @property
    def components(self) -> Components:
        return self.steps[-1].components

    def with_steps(self, steps: Tuple[Step, ...]) -> Plan:
        return dataclasses.replace(self, steps=tuple(steps))
