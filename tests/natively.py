"""TensorFlow's own queues as TensorFlow alone runs them: the second reference, and a side of the benchmarks.

Once `queuecompat.v1` has been imported, or `install()` called, graphs that only TensorFlow's functions built are
compiled as well; compared with ours, they would be ours.
"""

from __future__ import annotations

import contextlib
from typing import Iterator

from queuecompat._session import attending

__all__ = ["natively"]


@contextlib.contextmanager
def natively() -> Iterator[None]:
    """Graphs that are built and run in this block are left alone, in all threads."""
    adoptions = attending.adoptions()
    for _ in range(adoptions):
        attending.leave_graphs()
    try:
        yield
    finally:
        for _ in range(adoptions):
            attending.adopt_graphs()
