"""How names and values are written in Python."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import Any, Iterable, List, Set

import numpy as np
import tensorflow as tf

__all__ = ["Names", "dtype_name", "folded", "literal", "shape_text"]


class Names:
    """Identifiers, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken: Set[str] = {"tf", "np", "sys", "dataset", *taken}

    def new(self, wanted: str) -> str:
        """An identifier like *wanted*, which may be the name of an op."""
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", wanted.rpartition("/")[2]).lower()
        plain = re.sub(r"_\d+$", "", re.sub(r"\W", "_", plain)).strip("_") or "value"
        if plain[0].isdigit():
            plain = f"value_{plain}"
        if keyword.iskeyword(plain) or hasattr(builtins, plain):
            plain += "_"
        name, number = plain, 1
        while name in self.taken:
            number += 1
            name = f"{plain}_{number}"
        self.taken.add(name)
        return name


def dtype_name(dtype: Any) -> str:
    return f"tf.{tf.as_dtype(dtype).name}"


def shape_text(shape: tf.TensorShape) -> str:
    return "None" if shape.rank is None else repr(shape.as_list())


def literal(value: np.ndarray) -> str:
    """The elements of *value* as Python reads them."""
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        text = repr(value.tolist())
        return re.sub(r"\b(nan|inf)\b", r'float("\1")', text)
    if value.dtype.kind == "V":  # bfloat16 and its like
        return repr(value.astype(np.float32).tolist())
    return repr(value.tolist())


def folded(line: str, width: int = 110) -> List[str]:
    """*line*, cut after the commas of its outermost brackets if it is longer than *width*."""
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
            return [line]  # the first and the last bracket do not belong together
    pieces.append(line[last:ends].strip())
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return [line[: begin + 1], *(f"{indent}{piece}," for piece in pieces), f"{indent[4:]}{line[ends:]}"]
