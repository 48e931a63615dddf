"""A program that is killed and goes on, again and again: each life has to see what the one before saw last.

A life prints a line for each step: the number of the step, and then what each pipeline had, a word each. It saves once,
lives for COMPARED steps more, and is killed.
"""

from __future__ import annotations

import os
import random
import signal
from typing import Callable, List, Sequence

from tests.forking import Ran

__all__ = ["COMPARED", "DEADLINE", "RESTARTS", "assert_each_life_goes_on"]

# How often each program is killed and goes on.
RESTARTS = int(os.environ.get("QUEUECOMPAT_RESTARTS", "1"))
COMPARED = 20  # batches after each restart
DEADLINE = 90 if RESTARTS == 1 else 600  # of a life, in seconds: a long chain has several pipelines, and company


def assert_each_life_goes_on(run: Callable[[int, int], Ran], names: Sequence[str], which: str) -> None:
    """That the steps after each restart are those that came after the checkpoint in the life before.

    Args:
      run: of a life that saves after so many steps, and is killed after so many.
      names: of its pipelines.
      which: what decides the random places at which it is saved.
    """
    lengths = random.Random(f"{which} {RESTARTS}")

    def life(saved: int) -> List[List[str]]:
        ran = run(saved, saved + COMPARED)
        assert ran.exit_code == -signal.SIGKILL, ran.err
        lines = [line.split() for line in ran.out.splitlines()]
        assert len(lines) == saved + COMPARED
        return lines

    before = life(lengths.randint(COMPARED + 1, 150))
    for number in range(RESTARTS):
        after = life(lengths.randint(COMPARED + 1, 100))
        for column, name in enumerate(["step", *names]):
            seen, again = [[line[column] for line in of_life] for of_life in (before[-COMPARED:], after[:COMPARED])]
            assert seen == again, f"{name}: restart {number} of {which}, at step {after[0][0]}"
        before = after
