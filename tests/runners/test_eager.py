"""Everything in this folder, in eager mode."""

from __future__ import annotations

from tests.queues.modes import fail_unless_all_pass_eagerly


def test_runners_do_in_eager_mode_what_they_do_in_a_graph() -> None:
    fail_unless_all_pass_eagerly("runners")
