"""How long a consumer waits for a batch: when it is warned, and when that is an error."""

from __future__ import annotations

import time
from typing import Optional

__all__ = ["Patience"]

_WARN_SECONDS = 60.0


class Patience:
    """One warning a pass, and an error after *timeout* seconds, if that is not None."""

    def __init__(self, timeout: Optional[float]) -> None:
        self.timeout = timeout
        self.has_warned = False

    @property
    def warns_after(self) -> float:
        """Seconds."""
        return _WARN_SECONDS

    def seconds_left(self, asked: float) -> Optional[float]:
        """Until the consumer, which *asked* then, is told something; None for as long as it takes."""
        limits = [limit for limit in (self.timeout, None if self.has_warned else _WARN_SECONDS) if limit is not None]
        return asked + min(limits) - time.perf_counter() if limits else None

    def is_at_end(self, asked: float) -> bool:
        """Whether the time is up. Otherwise this was the warning."""
        is_late = self.timeout is not None and time.perf_counter() - asked >= self.timeout
        self.has_warned = self.has_warned or not is_late
        return is_late
