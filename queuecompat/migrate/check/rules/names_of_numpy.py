"""Names that NumPy has no longer: ``x.tostring()`` where records are written, ``np.float`` where they are read.

No entry point brings them back, for they are NumPy's own. What it leaves alone: calls of ``tostring`` with arguments,
which are those of XML trees; and where a class of the file has such a method.
"""

from __future__ import annotations

from typing import Iterator

import libcst as cst

from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import method, method_name
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference.numpy_names import INSTEAD, OF_ARRAYS

__all__ = ["names_of_numpy"]


def names_of_numpy(source: Source) -> Iterator[Finding]:
    """One finding for each use."""
    for node in source.every(cst.Attribute):
        full = source.names.full(node) or ""
        module, _, name = full.rpartition(".")
        if module == "numpy" and name in INSTEAD:
            yield source.found("QC716", node, call=source.code(node), instead=INSTEAD[name])
    for call in source.every(cst.Call):
        if _is_tostring(source, call):
            yield source.found("QC716", method_name(call), call=".tostring()", instead=OF_ARRAYS["tostring"])


def _is_tostring(source: Source, call: cst.Call) -> bool:
    """Whether *call* is that of an array; ``array.array`` and images of PIL had the same, and lost it earlier."""
    if method(call) != "tostring" or call.args or source.names.full(call.func) is not None:
        return False
    return not any(one.name.value == "tostring" for one in source.every(cst.FunctionDef))
