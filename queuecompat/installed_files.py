"""Decides which source files are installed, and so do not belong to a program."""

from __future__ import annotations

import functools
import os
import sysconfig

__all__ = ["as_folder", "is_installed", "is_installed_below", "is_python"]

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(maxsize=4096)
def is_installed(path: str) -> bool:
    """Whether the file *path* is Python's own, this package's, or was installed by pip or another installer."""
    path = os.path.realpath(path)
    return path.startswith(_LIBRARIES) or is_installed_below(os.sep, path)


def is_installed_below(folder: str, path: str) -> bool:
    """Whether *path* is in a folder for installed packages that is below *folder*, which ends in a separator."""
    below = os.path.join(os.sep, path[len(folder) :])
    return any(part in below for part in _INSTALLED)


def is_python(path: str) -> bool:
    """Whether the file *path* is Python's own, or this package's."""
    path = os.path.realpath(path)
    return path.startswith(_LIBRARIES) and not is_installed_below(os.sep, path)


def as_folder(path: str) -> str:
    """Returns *path* with symbolic links resolved, and with a separator at its end."""
    return os.path.join(os.path.realpath(path), "")


# The folders of Python's own modules, and of this package.
_LIBRARIES = tuple(as_folder(path) for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _OURS))
