"""The errors and warnings of one run over the data."""

from __future__ import annotations

import time
from typing import Optional, Sequence

from queuecompat.errors import QueueCompatValueError, at_line, layout
from queuecompat.loader.failures import LoadError, NothingReturnedError, Tolerance, last_line, load_error, named
from queuecompat.loader.run.patience import Patience
from queuecompat.loader.run.work import Work
from queuecompat.plurals import counted

__all__ = ["RunErrors", "loading_text"]

_NAMED = 4  # the maximum number of items that a message names


class RunErrors:
    """Makes the errors of a run. Each message contains *made_at*, the user's line that made the loader."""

    def __init__(self, made_at: str, tolerance: Tolerance) -> None:
        self._made_at = made_at
        self._tolerance = tolerance

    def of_item(self, work: Work, failure: BaseException) -> LoadError:
        """Returns the error for an item: *work* raised *failure*."""
        if isinstance(failure, LoadError):
            return failure
        if isinstance(failure, NothingReturnedError):
            return load_error("QC635", self._made_at, item=work.item, value=work.value, where=failure.where)
        raised = last_line(failure)
        return load_error("QC605", self._made_at, item=work.item, value=work.value, cause=failure, raised=raised)

    def of_epoch(self, epoch: int, items: int) -> LoadError:
        """Returns the error for an epoch whose items, *items* in number, produced no example."""
        # Sorted by index, because the order of the failures depends on the workers.
        skipped = sorted(self._tolerance.skipped.values(), key=lambda one: one.index)
        why = f"; {len(skipped)} failed, the last with {skipped[-1].error}" if skipped else ""
        return load_error("QC620", self._made_at, count=items, epoch=epoch, why=why)

    def of_batch(self, first: int, failure: BaseException) -> LoadError:
        """Returns the error for the batch that begins with example number *first*: finishing it raised *failure*."""
        return load_error("QC637", self._made_at, first=first, cause=failure, raised=last_line(failure))

    def of_stream(self, failure: BaseException) -> BaseException:
        """Returns *failure*, which ended the stream, ready to raise. Adds the user's line to errors about a state or a
        sampler: they were raised on a worker's thread, which has no frame of the user's."""
        return at_line(failure, self._made_at) if isinstance(failure, QueueCompatValueError) else failure

    def timed_out(self, seconds: Optional[float], items: str) -> LoadError:
        """Returns the timeout error: the consumer has waited for *seconds* while *items* were being loaded."""
        return load_error("QC632", self._made_at, seconds=seconds, items=items)

    def waiting(self, patience: Patience, items: str) -> str:
        """Returns the text of the warning that the consumer waits while *items* are being loaded."""
        return layout("QC633", self._made_at, seconds=f"{patience.warns_after:g}", items=items)


def loading_text(works: Sequence[Work], *, is_fetching: bool, unprepared: int) -> str:
    """Returns the text that names what is being loaded.

    Args:
      works: the items, the oldest first.
      is_fetching: whether a worker waits for the source's next item.
      unprepared: the number of workers that have not called ``worker_init`` yet.
    """
    now = time.perf_counter()
    names = [f"{named(work.item, work.value)} for {now - work.since:.0f} s" for work in works[:_NAMED]]
    names += [f"{len(works) - _NAMED} more"] if len(works) > _NAMED else []
    names += ["the source's next item"] if is_fetching else []
    text = ", ".join(names) or "no item"
    return f"{text} ({counted(unprepared, 'worker')} still in worker_init)" if unprepared else text
