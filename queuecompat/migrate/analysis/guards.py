"""Recognises names that are used only if they exist: under ``hasattr``, ``getattr`` with a default, or in a ``try``."""

from __future__ import annotations

from typing import FrozenSet, Optional

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_guarded"]

_ASKING = {"getattr", "hasattr"}
_ERRORS = {"AttributeError", "BaseException", "Exception", "ImportError", "ModuleNotFoundError"}
_BLOCKS = (cst.If, cst.IfExp, cst.Try)


def is_guarded(source: Source, node: cst.CSTNode, symbol: str) -> bool:
    """Whether *node*, which names TensorFlow's *symbol*, is skipped or its error caught if *symbol* does not exist."""
    parts = set(symbol.split("."))
    block: Optional[cst.CSTNode] = source.around(node, _BLOCKS)
    while block is not None:
        if isinstance(block, cst.Try):
            if any(one is node for one in every(block.body, type(node))) and any(map(_catches, block.handlers)):
                return True
        elif any(_asks(call) & parts for call in every(block.test, cst.Call)):  # type: ignore[attr-defined]
            return True
        block = source.around(block, _BLOCKS)
    return False


def _catches(handler: cst.ExceptHandler) -> bool:
    """Whether the program continues after an error about a missing name."""
    kinds = [] if handler.type is None else [dotted_name(one) for one in every(handler.type, cst.Name)]
    is_of_names = handler.type is None or bool(_ERRORS & set(kinds))
    return is_of_names and not any(True for _ in every(handler.body, cst.Raise))


def _asks(call: cst.Call) -> FrozenSet[str]:
    """The attribute name that *call* asks an object or module for."""
    name = call.args[1].value if len(call.args) > 1 and dotted_name(call.func) in _ASKING else None
    is_text = isinstance(name, cst.SimpleString) and isinstance(name.raw_value, str)
    return frozenset([name.raw_value]) if is_text else frozenset()  # type: ignore[union-attr]
