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

__all__ = ["names_of_numpy"]

# Compared in NumPy 1.16 and 2.5.
_INSTEAD = {
    "Inf": "np.inf",
    "NINF": "-np.inf",
    "NaN": "np.nan",
    "PINF": "np.inf",
    "alltrue": "np.all",
    "asscalar": "its method item()",
    "complex": "complex",
    "complex_": "np.complex128",
    "cumproduct": "np.cumprod",
    "float": "float",
    "float_": "np.float64",
    "in1d": "np.isin",
    "int": "int",
    "object": "object",
    "product": "np.prod",
    "rank": "np.ndim",
    "row_stack": "np.vstack",
    "sometrue": "np.any",
    "str": "str",
    "string_": "np.bytes_",
    "trapz": "np.trapezoid",
    "unicode": "str",
    "unicode_": "np.str_",
}


def names_of_numpy(source: Source) -> Iterator[Finding]:
    """One finding for each use."""
    for node in source.every(cst.Attribute):
        full = source.names.full(node) or ""
        module, _, name = full.rpartition(".")
        if module == "numpy" and name in _INSTEAD:
            yield source.found("QC716", node, call=source.code(node), instead=_INSTEAD[name])
    for call in source.every(cst.Call):
        if _is_tostring(source, call):
            yield source.found("QC716", method_name(call), call=".tostring()", instead="tobytes()")


def _is_tostring(source: Source, call: cst.Call) -> bool:
    """Whether *call* is that of an array; ``array.array`` and images of PIL had the same, and lost it earlier."""
    if method(call) != "tostring" or call.args or source.names.full(call.func) is not None:
        return False
    return not any(one.name.value == "tostring" for one in source.every(cst.FunctionDef))
