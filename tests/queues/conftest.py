"""Every test here runs in both modes; see ``modes.py``."""

from tests.queues.modes import graph, mode

__all__ = ["graph", "mode"]
