"""The share of the machine that other programs used during a measurement, to tell results from noise.

Linux only: it reads the kernel's counters, which have a resolution of 10 ms, so an interval should be at least 1 s.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib

__all__ = ["Ticks", "of_group"]


@dataclasses.dataclass(frozen=True)
class Ticks:
    """Counts since the machine started, over all cores.

    Attributes:
      total, busy: all, and those not idle; the time that a host gives to other machines is busy.
      own: of this process, and of all in its group: worker processes.
    """

    total: int = 0
    busy: int = 0
    own: int = 0

    @classmethod
    def now(cls) -> Ticks:
        """Zeros where there are no such counts."""
        try:
            # user nice system idle iowait irq softirq steal; what follows is in these already.
            counts = [int(count) for count in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        except OSError:
            return cls()
        return cls(sum(counts), sum(counts) - counts[3] - counts[4], of_group(os.getpgrp()))

    def others_since(self, before: Ticks) -> float:
        """The share of the machine that other programs had since *before*: 0.5 is one of two cores."""
        total = self.total - before.total
        others = (self.busy - before.busy) - (self.own - before.own)
        return max(0.0, others / total) if total else 0.0


def of_group(group: int) -> int:
    """The counts of all processes of that *group* that have not ended."""
    ticks = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                # The name of the program may hold anything, blanks and brackets, too.
                fields = pathlib.Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            ticks += sum(map(int, fields[11:13])) if int(fields[2]) == group else 0
    return ticks
