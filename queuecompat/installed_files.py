"""Which source files were installed, and so are no program's own."""

from __future__ import annotations

import functools
import os
import sysconfig

__all__ = ["as_folder", "is_installed", "is_installed_below", "is_python"]

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(maxsize=4096)
def is_installed(path: str) -> bool:
    """Whether the file *path* is Python's own, this package's, or one of those that an installer put there."""
    path = os.path.realpath(path)
    return path.startswith(_LIBRARIES) or is_installed_below(os.sep, path)


def is_installed_below(folder: str, path: str) -> bool:
    """Whether an installer put *path* into a folder for libraries that is below *folder*; both end what they name."""
    below = os.path.join(os.sep, path[len(folder) :])
    return any(part in below for part in _INSTALLED)


def is_python(path: str) -> bool:
    """Whether it is Python's own, or this package's."""
    path = os.path.realpath(path)
    return path.startswith(_LIBRARIES) and not is_installed_below(os.sep, path)


def as_folder(path: str) -> str:
    """*path* without links, with a separator at its end."""
    return os.path.join(os.path.realpath(path), "")


# Python's own modules, and this package.
_LIBRARIES = tuple(as_folder(path) for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _OURS))
