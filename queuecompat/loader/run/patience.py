"""How long a consumer waits for a batch before it is warned, and before the wait is an error."""

from __future__ import annotations

import time
from typing import Optional

__all__ = ["Patience"]

_WARN_SECONDS = 60.0


class Patience:
    """Allows one warning per pass, after 60 seconds of waiting, and an error after *timeout* seconds, unless None."""

    def __init__(self, timeout: Optional[float]) -> None:
        self.timeout = timeout
        self.has_warned = False

    @property
    def warns_after(self) -> float:
        """The number of seconds after which the consumer is warned."""
        return _WARN_SECONDS

    def seconds_left(self, asked: float) -> Optional[float]:
        """Returns the seconds until the warning or the error for a consumer that asked for a batch at *asked*; None if
        neither will come."""
        limits = [limit for limit in (self.timeout, None if self.has_warned else _WARN_SECONDS) if limit is not None]
        return asked + min(limits) - time.perf_counter() if limits else None

    def is_at_end(self, asked: float) -> bool:
        """Returns whether the timeout has expired; if not, and no seconds are left, it is time for the warning."""
        return self.timeout is not None and time.perf_counter() - asked >= self.timeout
