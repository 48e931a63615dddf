"""Restores methods that classes had at the time of TensorFlow 1 and have lost since."""

from __future__ import annotations

import ctypes
import gc
from typing import Any, Dict, List, Optional, Tuple

__all__ = ["METHODS", "add_method", "add_methods"]


def add_methods(module: str, owner: Any) -> None:
    """Adds the methods that classes of the module *owner* have lost; existing methods stay as they are."""
    for kind, methods in METHODS.get(module, {}).items():
        for name, method in methods.items():
            if hasattr(owner, kind) and not _is_there(getattr(owner, kind), name):
                add_method(getattr(owner, kind), name, method)


def add_method(kind: type, name: str, method: Any) -> None:
    """Adds *method* to a type that may be written in C, where ``setattr`` refuses it."""
    try:
        setattr(kind, name, method)
    except TypeError:
        [names] = gc.get_referents(vars(kind))
        names[name] = method
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _is_there(kind: Any, name: str) -> bool:
    # NumPy 2.0 has attributes with these names that only raise an error.
    return hasattr(kind, name) and type(vars(kind).get(name)).__name__ != "getset_descriptor"


def _itemset(self: Any, *args: Any) -> None:
    """Handles ``itemset(value)``, ``itemset(flat_index, value)``, ``itemset(index_of_axis_0, ..., value)``."""
    *index, value = args
    if not index:
        self[...] = value
    elif len(index) > 1 or isinstance(index[0], tuple):
        self[index[0] if len(index) == 1 else tuple(index)] = value
    else:
        self.flat[index[0]] = value


def _ptp(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    import numpy as np

    return np.ptp(self, axis, out, keepdims)


def _tostring(self: Any, order: str = "C") -> bytes:
    data: bytes = self.tobytes(order)
    return data


def _as_matrix(self: Any, columns: Optional[List[Any]] = None) -> Any:
    return (self if columns is None else self[columns]).to_numpy()


def _append(self: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False) -> Any:
    import pandas as pd

    if isinstance(other, dict):
        other = pd.Series(other)
    if isinstance(other, pd.Series) and isinstance(self, pd.DataFrame):
        other = other.to_frame().T.infer_objects()
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    return pd.concat([self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity)


def _getsize(self: Any, text: Any, *args: Any, **kwargs: Any) -> Tuple[int, int]:
    """Returns the width of *text*, and its height measured from the top of the line."""
    _, _, right, bottom = self.getbbox(text, *args, **kwargs)
    return int(right), int(bottom)


def _textsize(self: Any, text: Any, font: Any = None, *args: Any, **kwargs: Any) -> Tuple[int, int]:
    _, _, right, bottom = self.textbbox((0, 0), text, font, *args, **kwargs)
    return int(right), int(bottom)


def _frombytes(self: Any, data: Any) -> None:
    self.frombytes(data.encode() if isinstance(data, str) else data)


def _children(self: Any) -> List[Any]:
    return list(self)


def _all_of(self: Any, tag: Optional[str] = None) -> List[Any]:
    return list(self.iter(tag))


_IMAGES_OF_TEXT = {"getsize": _getsize}
_OF_FRAMES = {"append": _append, "as_matrix": _as_matrix, "iteritems": lambda self: self.items()}
_OF_ELEMENTS = {"getchildren": _children, "getiterator": _all_of}
# By module and class. ``reference.older_names.METHODS`` says what to write instead, for the methods that ``check`` can
# recognise.
METHODS: Dict[str, Dict[str, Dict[str, Any]]] = {
    "PIL.ImageDraw": {"ImageDraw": {"textsize": _textsize}},
    "PIL.ImageFont": {"FreeTypeFont": _IMAGES_OF_TEXT, "ImageFont": _IMAGES_OF_TEXT},
    "array": {"array": {"fromstring": _frombytes, "tostring": lambda self: self.tobytes()}},
    "h5py": {"Dataset": {"value": property(lambda self: self[()])}},
    "numpy": {
        "generic": {"ptp": _ptp, "tostring": _tostring},
        "ndarray": {"itemset": _itemset, "ptp": _ptp, "tostring": _tostring},
    },
    "pandas": {"DataFrame": _OF_FRAMES, "Series": _OF_FRAMES},
    "threading": {"Thread": {"isAlive": lambda self: self.is_alive()}},
    "xml.etree.ElementTree": {"Element": _OF_ELEMENTS, "ElementTree": {"getiterator": _all_of}},
}
