"""Finds names that Python and NumPy have removed: ``collections.Mapping``; ``x.tostring()`` where records are written.

It also finds calls that they no longer accept: ``np.array(x, copy=False)``. Under ``run`` and with ``queuecompat.v1``
both work again. A program that stops using these needs the new spelling, and so does a TensorFlow 2 program, which
neither of them is meant for.
"""

from __future__ import annotations

from typing import Iterator

from queuecompat.migrate.analysis.mentions import ENTRY_POINTS
from queuecompat.migrate.analysis.older_calls import older_calls
from queuecompat.migrate.analysis.older_names import older_names
from queuecompat.migrate.analysis.tf1_files import shows_tf1, use_of_tensorflow_2
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import Source

__all__ = ["names_of_then"]


def names_of_then(source: Source) -> Iterator[Finding]:
    """One finding for each use."""
    is_of_tensorflow_2 = not shows_tf1(source) and use_of_tensorflow_2(source) is not None
    ways = "" if is_of_tensorflow_2 else " or ".join(f"'{way}'" for way in ENTRY_POINTS.values())
    for one in older_names(source):
        yield source.found("QC716", one.node, owner=one.owner, call=one.written, instead=one.now, entry_points=ways)
    for call in older_calls(source):
        yield source.found("QC716", call.call, owner=call.owner, call=call.written, instead=call.now, entry_points=ways)
