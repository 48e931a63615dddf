"""Every test here runs in eager mode; see ``modes.py`` of the queues' tests."""

from tests.queues.modes import eagerly as graph

__all__ = ["graph"]
