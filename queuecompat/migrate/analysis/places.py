"""Functions and classes of a program, and the names that refer to them."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from queuecompat.migrate.source.parsing import Source

__all__ = ["Place", "Use"]


class Place(NamedTuple):
    """A function or class, and the file that defines it."""

    source: Source
    node: cst.CSTNode


class Use(NamedTuple):
    """A name in one file that refers to a function or class of another file."""

    node: cst.CSTNode
    full: str
    place: Place
