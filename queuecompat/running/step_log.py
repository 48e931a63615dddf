"""The file through which one run of a program tells another process about its steps, for ``run --compare``.

A step is a ``Session.run`` that takes something from an input pipeline. The file has one line for each event, with
words separated by spaces:

    begin SECONDS CPU                  the program's first line is about to run
    step SECONDS CPU EXAMPLES          a step has ended; EXAMPLES is 0 if the graph does not tell how many it took
    pipelines COMPILED NATIVE          how many were compiled, and how many run on TensorFlow's own queues

SECONDS is a monotonic clock of the process; CPU is its processor time in seconds.

Rule: Each line is written atomically when its event happens, so that nothing is lost however the program ends.
No TensorFlow here: the process that reads the file runs no pipeline.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Optional, Tuple

__all__ = ["Log", "Step"]


@dataclasses.dataclass(frozen=True)
class Step:
    """The end of a step: the time and the processor time, both in seconds, and the number of examples that it took."""

    seconds: float
    cpu: float
    examples: int


@dataclasses.dataclass(frozen=True)
class Log:
    """The content of the file of one run.

    Attributes:
      begin: the time in seconds at which the program began; None: it did not begin.
      steps: its steps, in order.
      compiled, native: the numbers of its pipelines; 0 if it did not reach its end.
    """

    begin: Optional[float]
    steps: Tuple[Step, ...]
    compiled: int = 0
    native: int = 0

    @classmethod
    def of(cls, text: str) -> Log:
        """Parses the *text* of a file, whose last line may be truncated."""
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
