"""Names that Python and NumPy have no longer: ``collections.Mapping``; ``x.tostring()`` where records are written.

``run`` and ``queuecompat.v1`` bring them back; a program that leaves them needs the new names.
"""

from __future__ import annotations

from typing import Iterator

from queuecompat.migrate.analysis.mentions import ENTRY_POINTS
from queuecompat.migrate.analysis.older_names import older_names
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference.older_names import OWNERS

__all__ = ["names_of_then"]


def names_of_then(source: Source) -> Iterator[Finding]:
    """One finding for each use."""
    ways = " or ".join(f"'{way}'" for way in ENTRY_POINTS.values())
    for one in older_names(source):
        owner = OWNERS.get(one.module, "NumPy")
        yield source.found("QC716", one.node, owner=owner, call=one.written, instead=one.now, entry_points=ways)
