"""Calls the user's ``on_epoch_end`` when an epoch has ended for the consumer.

Rule 1: an epoch has ended when the consumer asks for a batch that begins in a later epoch, or for one after the last
        batch. By then it has seen the whole epoch, even if one batch held its end and the start of the next epoch.
Rule 2: the user's function is called on the consumer's thread, without any lock, and before the position moves: a
        ``state_dict()`` taken in it resumes with the next epoch.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

__all__ = ["EpochEnds"]


class EpochEnds:
    """Calls *tell* with the number of each epoch that has ended.

    Args:
      first: the epoch in which the pass begins, or resumes.
      end: the epoch after the last one of the pass; None if the pass is infinite.
    """

    def __init__(self, tell: Callable[[int], Any], first: int, end: Optional[int]) -> None:
        self._tell = tell
        self._epoch = first
        self._end = end

    def reach(self, epoch: Optional[int]) -> None:
        """Tells that the next batch begins in *epoch*, or, with None, that there are no more batches."""
        until = self._end if epoch is None else epoch
        while until is not None and self._epoch < until:
            ended, self._epoch = self._epoch, self._epoch + 1
            self._tell(ended)
