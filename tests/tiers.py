"""Which tests CI runs only on the newest TensorFlow, and not on the oldest.

Rule 1: these test what is the same on every TensorFlow: pages, texts, the numbers of a benchmark, the results of
        ``check`` and ``migrate`` for a file; or programs of TensorFlow's public API that ``migrate`` has written, whose
        functions other tests run on both.
Rule 2: what queuecompat builds from TensorFlow is tested on both: all pipelines, datasets, sessions and workers, and
        each function that a rewritten pipeline calls (``migrate/test_tf_data_values.py`` and ``test_catalogue.py``).
Rule 3: CI has a deadline. Tests that have not begun at ``QUEUECOMPAT_TESTS_UNTIL``, in seconds since 1970, are skipped,
        and the summary counts them.
"""

from __future__ import annotations

import os
import pathlib
import time

import pytest

__all__ = ["ONCE", "is_run_once", "skip_if_time_is_over"]

HERE = pathlib.Path(__file__).parent

# Of ``migrate``: what rewritten functions deliver, and what TensorFlow makes of the imports.
_ON_BOTH = {"test_catalogue.py", "test_tf_data_values.py", "test_v1.py"}

ONCE = (
    "bench",
    "examples",
    "guide",
    "architecture/test_layers.py",
    "architecture/test_words.py",
    *(f"migrate/{one.name}" for one in sorted((HERE / "migrate").glob("test_*.py")) if one.name not in _ON_BOTH),
)


def is_run_once(path: pathlib.Path) -> bool:
    """Whether *path*, of a file or folder, is one of those."""
    return any(path == HERE / one for one in ONCE)


def skip_if_time_is_over() -> None:
    """Skips the test that is about to begin."""
    end = os.environ.get("QUEUECOMPAT_TESTS_UNTIL")
    if end and time.time() > float(end):
        pytest.skip("this machine had no time for it: `tox -e oldest` runs all of them")
