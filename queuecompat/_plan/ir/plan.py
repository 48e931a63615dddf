"""The steps of one terminal, and what all of them have."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.bodies import Components
from queuecompat._plan.options import DEFAULTS, Options

__all__ = ["Plan", "Seeds", "Step"]

Seeds = Tuple[Optional[int], Optional[int]]


@dataclasses.dataclass(frozen=True)
class Step:
    """One step; *components* are the specs of what it outputs."""

    components: Components


@dataclasses.dataclass(frozen=True)
class Plan:
    """All the steps of one terminal.

    *is_preview*: no training data, only a preview of what passes (see ``explain``).
    *options*: what the program chose beyond TF1's behaviour. *uncached*: why nothing is kept although it chose that;
    *unindexed*: why its random numbers are not those of records.
    *is_remote*: the workers of ``options.data_service`` compute it, as far as its first batch.
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
