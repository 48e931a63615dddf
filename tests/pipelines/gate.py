"""A Python function in a pipeline that lets so many elements pass and then waits: what needs more hangs, and fails."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["Gate"]


class Gate:
    """``with Gate(20) as gate:``, and ``gate.passed`` as a ``py_func``; all pass when the block ends."""

    def __init__(self, elements: int) -> None:
        self._left = elements
        self.is_awaited = False  # an element that may not pass has come
        self._changed = threading.Condition()

    def passed(self, element: Any) -> Any:
        with self._changed:
            self.is_awaited = self._left == 0
            assert self._changed.wait_for(lambda: self._left > 0, timeout=30), "more elements than may pass were needed"
            self._left -= 1
        return element

    def let_pass(self, elements: int) -> None:
        """So many more may pass."""
        with self._changed:
            self._left += elements
            self._changed.notify_all()

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: Any) -> None:
        self.let_pass(10**9)
