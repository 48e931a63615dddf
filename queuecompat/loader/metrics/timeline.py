"""What workers, buffer and consumer did over time, and a picture of it.

Rule 1: it shows the last few thousand events, so that the memory of a loader does not grow with time.
Rule 2: matplotlib is imported when a picture is drawn, not before.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Tuple

from queuecompat.errors import QueueCompatRuntimeError, error
from queuecompat.loader.metrics.stages import Span

__all__ = ["Timeline"]

_COLOURS = {"wait": "#dddddd", "read": "#4c78a8", "decode": "#f58518", "augment": "#54a24b", "batch": "#b279a2"}
_OTHERS = ["#e45756", "#72b7b2", "#eeca3b", "#9d755d", "#ff9da6", "#bab0ac"]


@dataclasses.dataclass(frozen=True)
class Timeline:
    """What workers, buffer and consumer did over time. All times are seconds of ``time.perf_counter``.

    Attributes:
      workers: the stages of each worker, by the worker's number.
      consumer: the stages of the consumer: "wait" while it waits for a batch, "use" while it has one.
      buffer: the number of examples that were loaded and waiting whenever the consumer asked: pairs (time, number).
      capacity: the capacity of the buffer, in examples.
    """

    workers: Dict[int, List[Span]]
    consumer: List[Span]
    buffer: List[Tuple[float, int]]
    capacity: int

    def figure(self) -> Any:
        """Returns a matplotlib figure: a row for each worker and for the consumer, and below them the buffer's fill.

        Raises:
          QueueCompatRuntimeError: QC644, matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as problem:
            raise error(QueueCompatRuntimeError, "QC644", raised=problem) from problem

        rows = [*((f"worker {number}", spans) for number, spans in self.workers.items()), ("consumer", self.consumer)]
        figure = Figure(figsize=(10, 2.5 + 0.35 * len(rows)), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [0.35 * len(rows) + 0.5, 1.2]})
        zero, colours = self.begin, self._colours()
        for place, (_, spans) in enumerate(rows):
            above.broken_barh(
                [(span.begin - zero, span.end - span.begin) for span in spans],
                (place - 0.4, 0.8),
                facecolors=[colours[span.stage] for span in spans],
            )
        above.set_yticks(range(len(rows)), [name for name, _ in rows])
        above.invert_yaxis()
        for name, colour in colours.items():
            above.plot([], [], color=colour, linewidth=6, label=name)
        above.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        below.step([at - zero for at, _ in self.buffer], [fill for _, fill in self.buffer], where="post")
        below.axhline(self.capacity, color="#aaaaaa", linestyle=":")
        below.set_ylim(bottom=0)
        below.set_ylabel("examples waiting")
        below.set_xlabel("seconds")
        return figure

    def save(self, path: Any) -> None:
        """Writes the picture to *path*, in the format of its extension: .png, .svg, .pdf."""
        self.figure().savefig(path)

    @property
    def begin(self) -> float:
        """The earliest time in the timeline."""
        spans = [span for row in (*self.workers.values(), self.consumer) for span in row[:1]]
        return min([span.begin for span in spans] + [at for at, _ in self.buffer[:1]], default=0.0)

    def _colours(self) -> Dict[str, str]:
        names = {span.stage: None for row in (*self.workers.values(), self.consumer) for span in row}
        others = [name for name in names if name not in _COLOURS]
        chosen = {name: _OTHERS[place % len(_OTHERS)] for place, name in enumerate(others)}
        return {name: _COLOURS.get(name) or chosen[name] for name in names}
