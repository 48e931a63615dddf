"""Which tests CI runs on one TensorFlow, the newest, and not on the oldest as well.

Rule 1: what a test of one of these looks at is the same on every TensorFlow: pages, texts, figures of a benchmark, what
        ``check`` and ``migrate`` make of a file; or programs of TensorFlow's public API that ``migrate`` has written,
        whose functions other tests run on both.
Rule 2: what queuecompat makes of TensorFlow is no such thing: all pipelines, datasets, sessions and workers are tested
        on both. So is each function that a rewritten pipeline calls (``migrate/test_tf_data_values.py`` and
        ``test_catalogue.py``).
Rule 3: CI has an end. What has not begun at ``QUEUECOMPAT_TESTS_UNTIL``, in seconds since 1970, is skipped, and the
        summary counts it.
"""

from __future__ import annotations

import os
import pathlib
import time

import pytest

__all__ = ["ONCE", "is_run_once", "skip_if_time_is_over"]

HERE = pathlib.Path(__file__).parent

ONCE = (
    "bench",
    "examples",
    "guide",
    "house/test_rooms.py",
    "house/test_words.py",
    "migrate/test_as_dataset.py",
    "migrate/test_beside_tf_upgrade.py",
    "migrate/test_commands.py",
    "migrate/test_generated.py",
    "migrate/test_graph_functions.py",
    "migrate/test_guide.py",
    "migrate/test_held_back.py",
    "migrate/test_iterator_loops.py",
    "migrate/test_kept_sessions.py",
    "migrate/test_methods.py",
    "migrate/test_names_of_tf1.py",
    "migrate/test_never_worse.py",
    "migrate/test_notebooks.py",
    "migrate/test_nothing_silent.py",
    "migrate/test_placeholders.py",
    "migrate/test_plain_form.py",
    "migrate/test_reexports.py",
    "migrate/test_refusals.py",
    "migrate/test_removed_names.py",
    "migrate/test_rules.py",
    "migrate/test_sarif.py",
    "migrate/test_sloppy.py",
    "migrate/test_source.py",
    "migrate/test_speed.py",
    "migrate/test_starts.py",
    "migrate/test_tf_data.py",
    "migrate/test_tf_data_choices.py",
    "migrate/test_tf_data_in_place.py",
    "migrate/test_whole_programs.py",
)


def is_run_once(path: pathlib.Path) -> bool:
    """Whether *path*, of a file or folder, is one of those."""
    return any(path == HERE / one for one in ONCE)


def skip_if_time_is_over() -> None:
    """Skips the test that is about to begin."""
    end = os.environ.get("QUEUECOMPAT_TESTS_UNTIL")
    if end and time.time() > float(end):
        pytest.skip("this machine had no time for it: `tox -e oldest` runs all of them")
