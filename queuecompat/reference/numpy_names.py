"""Names that NumPy has no longer, and what to use instead; and which of them an error is about."""

from __future__ import annotations

import re
from typing import Optional, Tuple

__all__ = ["INSTEAD", "OF_ARRAYS", "missing"]

# Compared in NumPy 1.16 and 2.5.
INSTEAD = {
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
# Methods of arrays and of NumPy's numbers.
OF_ARRAYS = {"tostring": "tobytes()"}
_NO_ATTRIBUTE = re.compile(r"(module 'numpy'|'numpy\.\w+' object) has no attribute '(\w+)'")


def missing(problem: BaseException) -> Optional[Tuple[str, str]]:
    """The name that *problem* is about, and what to use; None: it is about something else, or says that itself."""
    found = _NO_ATTRIBUTE.fullmatch(str(problem)) if isinstance(problem, AttributeError) else None
    if found is None:
        return None
    owner, name = found.groups()
    if owner == "module 'numpy'":
        return (f"np.{name}", INSTEAD[name]) if name in INSTEAD else None
    return (f".{name}()", OF_ARRAYS[name]) if name in OF_ARRAYS else None
