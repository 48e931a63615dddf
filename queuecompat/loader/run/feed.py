"""The items of a run, one after the other, and the failure that ended them.

No threads: one caller at a time.
"""

from __future__ import annotations

import itertools
from typing import Iterator, List, Optional, Tuple, Union

from queuecompat.loader.failures import last_line, load_error
from queuecompat.loader.order.sampler import Item, NoItemsError

__all__ = ["Feed"]

# What says by itself what is wrong: the state, or the sampler.
_NAMED_CODES = ("QC617", "QC636")


class Feed:
    """The items of *sampled*; after a failure there are none.

    Args:
      is_quick: whether it may be asked with a lock held: the source's own code is not called.
      made_at: the user's line, for messages.
    """

    def __init__(self, sampled: Iterator[Item], *, is_quick: bool, made_at: str) -> None:
        self.is_quick = is_quick
        self._sampled = sampled
        self._made_at = made_at

    def next(self) -> Union[Item, BaseException, None]:
        """The next item, or what ended them: a failure, or None at the end of the data."""
        items, failure = self.take(1)
        return items[0] if items else failure

    def take(self, most: int) -> Tuple[List[Item], Optional[BaseException]]:
        """The next ones, and what ended them if that was a failure; none at the end."""
        items: List[Item] = []
        try:
            for item in itertools.islice(self._sampled, most):
                items.append(item)  # one by one: what came before a failure counts
        except BaseException as failure:
            self._sampled = iter(())
            return items, self._told(failure)
        return items, None

    def _told(self, failure: BaseException) -> BaseException:
        """What the user is told of *failure*."""
        if isinstance(failure, NoItemsError):
            return load_error("QC603", self._made_at, epoch=failure.epoch, why=failure.why)
        if getattr(failure, "code", "") in _NAMED_CODES:
            return failure
        return load_error("QC606", self._made_at, cause=failure, raised=last_line(failure))
