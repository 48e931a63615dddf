"""Every test here runs in eager mode; see ``modes.py`` of the queues' tests."""

from tests.queues.modes import graph

__all__ = ["graph"]
