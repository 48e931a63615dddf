"""The place of this package's exit handler: after all that the program registers.

Python calls exit handlers in reverse order of their registration. This package registers its own when it attends to
sessions for the first time, which is when the program imports TensorFlow. A handler that the program registered before
that line would find its sessions closed. So ``run`` reserves the place before the program begins; for a program that
imports ``queuecompat.v1`` itself, the import is the first moment.
"""

from __future__ import annotations

import atexit
from typing import Callable, List, Optional

__all__ = ["register", "reserve"]

_handlers: Optional[List[Callable[[], None]]] = None  # to be called at the reserved place


def reserve() -> None:
    """Reserves the place of this call for handlers that are registered later."""
    global _handlers
    if _handlers is None:
        _handlers = []
        atexit.register(_call)


def register(handler: Callable[[], None]) -> None:
    """Registers an exit handler, at the reserved place if there is one."""
    if _handlers is None:
        atexit.register(handler)
    else:
        _handlers.append(handler)


def _call() -> None:
    assert _handlers is not None
    for handler in reversed(_handlers):
        handler()
