"""The rules that make batched forms of ops: one module for each kind of op. ``RULES`` has all of them by name."""

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

# Importing a module registers its rules.
_MODULES = (elementwise, images, movement, parsing, random, reductions, windows)
