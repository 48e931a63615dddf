"""What is said of whatever fails in one run over the data."""

from __future__ import annotations

import time
from typing import Optional, Sequence

from queuecompat.errors import QueueCompatValueError, at_line, layout
from queuecompat.loader.failures import LoadError, NothingReturnedError, Tolerance, last_line, load_error, named
from queuecompat.loader.run.patience import Patience
from queuecompat.loader.run.work import Work

__all__ = ["RunErrors", "in_work"]

_NAMED = 4  # items, in a message


class RunErrors:
    """The errors of a run, each with *made_at*, the user's line."""

    def __init__(self, made_at: str, tolerance: Tolerance) -> None:
        self._made_at = made_at
        self._tolerance = tolerance

    def of_item(self, work: Work, failure: BaseException) -> LoadError:
        """*work* raised *failure*."""
        if isinstance(failure, LoadError):
            return failure
        if isinstance(failure, NothingReturnedError):
            return load_error("QC635", self._made_at, item=work.item, value=work.value, where=failure.where)
        raised = last_line(failure)
        return load_error("QC605", self._made_at, item=work.item, value=work.value, cause=failure, raised=raised)

    def of_epoch(self, epoch: int, items: int) -> LoadError:
        """An epoch of so many *items* has no example."""
        # By index: which failed first depends on the workers.
        skipped = sorted(self._tolerance.skipped.values(), key=lambda one: one.index)
        why = f"; {len(skipped)} failed, the last with {skipped[-1].error}" if skipped else ""
        return load_error("QC620", self._made_at, count=items, epoch=epoch, why=why)

    def of_batch(self, first: int, failure: BaseException) -> LoadError:
        """The batch with the example of number *first* could not be finished."""
        return load_error("QC637", self._made_at, first=first, cause=failure, raised=last_line(failure))

    def of_stream(self, failure: BaseException) -> BaseException:
        """*failure*, which ended the stream; what is wrong with a state or a sampler was found on a worker's thread."""
        return at_line(failure, self._made_at) if isinstance(failure, QueueCompatValueError) else failure

    def too_late(self, seconds: Optional[float], items: str) -> LoadError:
        """The consumer has waited for so many seconds, while *items* were in work."""
        return load_error("QC632", self._made_at, seconds=seconds, items=items)

    def waiting(self, patience: Patience, items: str) -> str:
        """The warning that the consumer waits, while *items* are in work."""
        return layout("QC633", self._made_at, seconds=f"{patience.warns_after:g}", items=items)


def in_work(works: Sequence[Work], *, is_fetching: bool) -> str:
    """What is being loaded: *works*, the oldest first; *is_fetching*: the source is asked for an item, too."""
    now = time.perf_counter()
    names = [f"{named(work.item, work.value)} for {now - work.since:.0f} s" for work in works[:_NAMED]]
    names += [f"{len(works) - _NAMED} more"] if len(works) > _NAMED else []
    names += ["the source's next item"] if is_fetching else []
    return ", ".join(names) or "no item"
