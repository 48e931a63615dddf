"""Hands out the items of a run one after another, and the failure that ended them.

Not thread-safe: one caller at a time.
"""

from __future__ import annotations

import itertools
from typing import Iterator, List, Optional, Tuple, Union

from queuecompat.loader.failures import last_line, load_error
from queuecompat.loader.order.sampler import Item, NoItemsError

__all__ = ["Feed"]

# Errors with these codes are raised unchanged: their messages already say that the state, or the sampler, is wrong.
_NAMED_CODES = ("QC617", "QC636")


class Feed:
    """Hands out the items of *sampled*. After a failure there are no more items.

    Args:
      is_quick: whether it may be called with a lock held, because it calls no code of the source or of a sampler.
      source: what decides about the next item, for messages: "source" or "sampler".
      made_at: the user's line, for messages.
    """

    def __init__(self, sampled: Iterator[Item], *, is_quick: bool, source: str, made_at: str) -> None:
        self.is_quick = is_quick
        self._sampled = sampled
        self._source = source
        self._made_at = made_at

    def next(self) -> Union[Item, BaseException, None]:
        """Returns the next item; or the failure that ended the items, or None at the end of the data."""
        items, failure = self.take(1)
        return items[0] if items else failure

    def take(self, most: int) -> Tuple[List[Item], Optional[BaseException]]:
        """Returns up to *most* next items, none at the end of the data, and the failure that ended them, or None."""
        items: List[Item] = []
        try:
            for item in itertools.islice(self._sampled, most):
                items.append(item)  # one by one: the items before a failure are still loaded
        except BaseException as failure:
            self._sampled = iter(())
            return items, self._told(failure)
        return items, None

    def _told(self, failure: BaseException) -> BaseException:
        """Returns the error that is raised for *failure* in the user's loop."""
        if isinstance(failure, NoItemsError):
            return load_error("QC603", self._made_at, epoch=failure.epoch, why=failure.why)
        if getattr(failure, "code", "") in _NAMED_CODES:
            return failure
        return load_error("QC606", self._made_at, source=self._source, cause=failure, raised=last_line(failure))
