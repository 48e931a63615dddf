"""Every test here runs in both modes; see ``tests/queues/modes.py``."""

from tests.queues.modes import graph, mode
from tests.runners.running import world

__all__ = ["graph", "mode", "world"]
