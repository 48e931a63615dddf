"""``as_dataset`` of a loader, in eager mode: see ``in_eager_mode.py``."""

from __future__ import annotations

from tests.queues.modes import fail_unless_all_pass_eagerly


def test_loaders_become_datasets() -> None:
    fail_unless_all_pass_eagerly("loader/dataset")
