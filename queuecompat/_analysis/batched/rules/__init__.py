"""The rules: what an op is on a whole batch. One module for each kind of op; ``RULES`` has them all, by name."""

from __future__ import annotations

from queuecompat._analysis.batched.rules import (
    elementwise,
    images,
    movement,
    parsing,
    random,
    reductions,
    windows,
)
from queuecompat._analysis.batched.rules.ragged import of_ragged
from queuecompat._analysis.batched.rules.table import RULES, Rule

__all__ = ["RULES", "Rule", "of_ragged"]

# Importing a module enters its rules.
_MODULES = (elementwise, images, movement, parsing, random, reductions, windows)
