"""Which tests CI runs on one TensorFlow, the newest, and not on the oldest as well.

Rule 1: what a test of one of these looks at is the same on every TensorFlow: pages, texts, figures of a benchmark; or
        programs of TensorFlow's public API that ``migrate`` has written, whose functions other tests run on both.
Rule 2: what queuecompat makes of TensorFlow is no such thing: all pipelines, datasets, sessions and workers are tested
        on both. So is each function that a rewritten pipeline calls (``migrate/test_tf_data_values.py`` and
        ``test_catalogue.py``).
"""

from __future__ import annotations

import pathlib

__all__ = ["ONCE", "is_run_once"]

HERE = pathlib.Path(__file__).parent

ONCE = (
    "bench",
    "examples",
    "guide",
    "migrate/test_as_dataset.py",
    "migrate/test_beside_tf_upgrade.py",
    "migrate/test_generated.py",
    "migrate/test_graph_functions.py",
    "migrate/test_iterator_loops.py",
    "migrate/test_placeholders.py",
    "migrate/test_reexports.py",
    "migrate/test_sloppy.py",
    "migrate/test_whole_programs.py",
)


def is_run_once(path: pathlib.Path) -> bool:
    """Whether *path*, of a file or folder, is one of those."""
    return any(path == HERE / one for one in ONCE)
