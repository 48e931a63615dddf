"""What one run of a program writes down of its steps, for another process to read: the file of ``run --compare``.

A step is a ``Session.run`` that takes something out of an input pipeline. The file has one line for each event, its
words separated by spaces:

    begin SECONDS CPU                  the program's first line is about to run
    step SECONDS CPU EXAMPLES          a step has ended; EXAMPLES is 0 where the graph does not say how many it took
    pipelines COMPILED NATIVE          how many were compiled, and how many run on TensorFlow's own queues

SECONDS are of a clock of the process, CPU is its processor time in seconds.

Rule: a line is written as its event happens, in one piece: however the program ends, what it did is known.
No TensorFlow here: the process that reads runs no pipeline.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Optional, Tuple

__all__ = ["Log", "Step"]


@dataclasses.dataclass(frozen=True)
class Step:
    """When a step ended, and how many examples it had taken; in seconds, and seconds of the processors."""

    seconds: float
    cpu: float
    examples: int


@dataclasses.dataclass(frozen=True)
class Log:
    """What a run has written down.

    Attributes:
      begin: seconds at which the program began; None: it did not.
      compiled, native: how many of its pipelines were; 0 where it did not come to its last step.
    """

    begin: Optional[float]
    steps: Tuple[Step, ...]
    compiled: int = 0
    native: int = 0

    @classmethod
    def of(cls, text: str) -> Log:
        """What the file with this *text* says; its last line may be cut off."""
        begin: Optional[float] = None
        pipelines = (0, 0)
        steps: List[Step] = []
        for kind, *words in _lines(text):
            if kind == "begin":
                begin = float(words[0])
            elif kind == "step":
                steps.append(Step(float(words[0]), float(words[1]), int(words[2])))
            elif kind == "pipelines":
                pipelines = (int(words[0]), int(words[1]))
        return cls(begin, tuple(steps), *pipelines)


def _lines(text: str) -> Iterator[List[str]]:
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):
            yield line.split()
