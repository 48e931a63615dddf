"""When the epochs of a pass have ended, as its consumer sees it.

Rule 1: an epoch has ended when the consumer asks for a batch that begins in a later one, or for one after the last.
        Then it has seen all of the epoch, also where a batch holds the end of one epoch and the start of the next.
Rule 2: the user's function is called on the consumer's thread, without any lock, and before the position moves: a state
        that is taken in it resumes with the next epoch.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

__all__ = ["EpochEnds"]


class EpochEnds:
    """Calls *tell* with the number of each epoch that has ended.

    Args:
      first: the epoch that the pass begins in, or goes on with.
      end: the one after its last; None where it has no end.
    """

    def __init__(self, tell: Callable[[int], Any], first: int, end: Optional[int]) -> None:
        self._tell = tell
        self._epoch = first
        self._end = end

    def reach(self, epoch: Optional[int]) -> None:
        """The next batch begins in *epoch*; None after the last batch."""
        until = self._end if epoch is None else epoch
        while until is not None and self._epoch < until:
            ended, self._epoch = self._epoch, self._epoch + 1
            self._tell(ended)
