"""Recognises ``if __name__ == "__main__":``, for ``check`` and ``migrate``."""

from __future__ import annotations

import ast

__all__ = ["is_main_guard"]


def is_main_guard(test: ast.expr) -> bool:
    """Whether *test*, the condition of an ``if``, is ``__name__ == "__main__"``, in either order."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = [test.left, *test.comparators]
    names = [one.id for one in sides if isinstance(one, ast.Name)]
    texts = [one.value for one in sides if isinstance(one, ast.Constant)]
    return names == ["__name__"] and texts == ["__main__"]
