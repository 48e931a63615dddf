"""How names and values are written in Python."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import Any, Iterable, List, Optional, Set

import numpy as np
import tensorflow as tf

__all__ = ["Names", "dtype_name", "folded", "literal", "shape_text"]


class Names:
    """Makes identifiers, each of them once.

    Args:
      taken: identifiers that are in use already.
      within: the names of the scope around a function whose local names these are. No name is used in both, whichever
        comes first, because a local variable would hide the outer one. Two functions may use the same local names.
    """

    def __init__(self, taken: Iterable[str] = (), within: Optional[Names] = None) -> None:
        self._taken: Set[str] = {"tf", "np", "sys", "dataset", *taken}
        self._inside: Set[str] = set()
        self._within = within

    def new(self, wanted: str) -> str:
        """A new identifier like *wanted*, which may be the name of an op."""
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", wanted.rpartition("/")[2]).lower()
        plain = re.sub(r"_\d+$", "", re.sub(r"\W", "_", plain)).strip("_") or "value"
        if plain[0].isdigit():
            plain = f"value_{plain}"
        return self.like(plain)

    def like(self, wanted: str) -> str:
        """*wanted*, an identifier, or if it is taken, a new one that begins with it."""
        plain = f"{wanted}_" if keyword.iskeyword(wanted) or hasattr(builtins, wanted) else wanted
        name, number = plain, 1
        while not self._is_free(name):
            number += 1
            name = f"{plain}_{number}"
        self._taken.add(name)
        if self._within is not None:
            self._within._inside.add(name)
        return name

    def _is_free(self, name: str) -> bool:
        is_free_here = name not in self._taken and name not in self._inside
        return is_free_here and (self._within is None or name not in self._within._taken)


def dtype_name(dtype: Any) -> str:
    return f"tf.{tf.as_dtype(dtype).name}"


def shape_text(shape: tf.TensorShape) -> str:
    return "None" if shape.rank is None else repr(shape.as_list())


def literal(value: np.ndarray) -> str:
    """The elements of *value* as a Python expression."""
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        text = repr(value.tolist())
        return re.sub(r"\b(nan|inf)\b", r'float("\1")', text)
    if value.dtype.kind == "V":  # bfloat16 and its like
        return repr(value.astype(np.float32).tolist())
    return repr(value.tolist())


def folded(line: str, width: int = 110) -> List[str]:
    """*line*, split after the commas of its outermost brackets if it is longer than *width* characters."""
    if len(line) <= width or line.lstrip().startswith(("#", '"""')):
        return [line]
    begin, ends = line.find("("), line.rfind(")")
    pieces, depth, last, quote = [], 0, begin + 1, ""
    for place in range(begin + 1, ends):
        character = line[place]
        if quote:
            quote = "" if character == quote and line[place - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            pieces.append(line[last:place].strip())
            last = place + 1
        if depth < 0:
            return [line]  # the first and the last bracket do not match
    pieces.append(line[last:ends].strip())
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return [line[: begin + 1], *(f"{indent}{piece}," for piece in pieces), f"{indent[4:]}{line[ends:]}"]
