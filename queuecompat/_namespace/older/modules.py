"""Modules that existed at the time of TensorFlow 1 and were removed since, for imports in the user's files."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any, Optional, Tuple

from queuecompat.reference.older_names import MODULES

__all__ = ["put_where_gone"]


def put_where_gone(name: str) -> None:
    """If *name* is such a module and cannot be imported, puts its replacement into ``sys.modules``."""
    if name not in MODULES or name in sys.modules:
        return
    package, _, last = name.rpartition(".")
    if package:
        put_where_gone(package)
    try:
        if importlib.util.find_spec(name) is not None:
            return
        now = _MADE[name]() if name in _MADE else importlib.import_module(MODULES[name])
    except ImportError:
        return  # the package of the replacement is not installed: Python's own error says so
    sys.modules[name] = now
    if package:
        setattr(sys.modules[package], last, now)


def _imp() -> types.ModuleType:
    """Returns the part of ``imp``, which Python 3.12 removed, that programs used."""
    imp = types.ModuleType("imp", "``imp`` of Python 3.11, as far as ``importlib`` has the same.")
    vars(imp).update(
        PY_SOURCE=1,
        PY_COMPILED=2,
        C_EXTENSION=3,
        PKG_DIRECTORY=5,
        find_module=_find_module,
        load_module=_load_module,
        load_package=lambda name, path: _load_module(name, None, path, ("", "", 5)),
        load_source=lambda name, pathname, file=None: _load_module(name, file, pathname, (".py", "r", 1)),
        new_module=types.ModuleType,
        reload=importlib.reload,
    )
    return imp


_Details = Tuple[str, str, int]


def _find_module(name: str, path: Optional[Any] = None) -> Tuple[Any, Optional[str], _Details]:
    """Returns the open file of a module (or None), its path, and a description.

    Raises:
      ImportError: there is no such module.
    """
    found = importlib.machinery.PathFinder.find_spec(name, path) or importlib.util.find_spec(name)
    if found is None:
        raise ImportError(f"No module named {name!r}", name=name)
    if found.submodule_search_locations:
        return None, next(iter(found.submodule_search_locations)), ("", "", 5)
    if isinstance(found.loader, importlib.machinery.SourceFileLoader) and found.origin:
        return open(found.origin, encoding="utf-8"), found.origin, (".py", "r", 1)
    return None, found.origin, ("", "", 3)


def _load_module(name: str, file: Any, filename: str, details: _Details) -> types.ModuleType:
    """Loads the module *name* from a file or a folder, and keeps it in ``sys.modules``.

    Raises:
      ImportError: there is nothing to load it from.
    """
    path = f"{filename}/__init__.py" if details[2] == 5 else filename
    places = [filename] if details[2] == 5 else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=places)
    if spec is None or spec.loader is None:
        raise ImportError(f"No module named {name!r}", name=name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules[name]


def _imghdr() -> types.ModuleType:
    """Returns ``imghdr``, which Python 3.13 removed."""
    imghdr = types.ModuleType("imghdr", "``imghdr`` of Python 3.7, but for its list of tests.")
    vars(imghdr)["what"] = _what
    return imghdr


def _what(file: Any, h: Optional[bytes] = None) -> Optional[str]:
    """Returns the type of image that a path, an open file or the bytes *h* begin like; None if it is not known."""
    if h is None:
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                h = opened.read(32)
        else:
            place = file.tell()
            h = file.read(32)
            file.seek(place)
    head = bytes(h)
    if head[6:10] in (b"JFIF", b"Exif"):
        return "jpeg"
    if head[:1] == b"P" and head[1:2] in b"142536" and head[2:3] in b" \t\n\r" and len(head) > 2:
        return {b"1": "pbm", b"4": "pbm", b"2": "pgm", b"5": "pgm", b"3": "ppm", b"6": "ppm"}[head[1:2]]
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in _STARTS.items() if head.startswith(start)), None)


_STARTS = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
    b"MM": "tiff",
    b"II": "tiff",
    b"\x01\xda": "rgb",
    b"\x59\xa6\x6a\x95": "rast",
    b"#define ": "xbm",
    b"BM": "bmp",
    b"\x76\x2f\x31\x01": "exr",
}
_MADE = {"imghdr": _imghdr, "imp": _imp}
