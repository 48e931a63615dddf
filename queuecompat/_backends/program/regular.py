"""Arrays that follow a rule -> short NumPy expressions that make them again.

The batched form of a slice has such arrays, for example the indices at which each image's rows begin. They grow with
the batch size, so they cannot be written number by number; as arguments they would be missing in any other process.

Rule 1: an expression is returned only if it makes the same bits: it is evaluated here, and the result is compared.
Rule 2: it covers integers that advance by constant steps, on several nested levels, and arrays of one repeated number.
        Anything else is data.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

__all__ = ["regular_array"]

# The number of nested levels above which an expression is no clearer than the numbers themselves.
_MOST_LEVELS = 4


def regular_array(value: np.ndarray) -> Optional[str]:
    """An expression for *value*; None if it follows no rule that is known here."""
    if not value.size or value.dtype.kind not in "biufc":
        return None
    text = _of_one_number(value) or _of_steps(value)
    return text if text is not None and _makes(text, value) else None


def _makes(text: str, value: np.ndarray) -> bool:
    # The text is made in this module and contains only NumPy calls and numbers. Builtins stay available: without them
    # NumPy 2 crashes on a first call that imports something.
    made = eval(text, {"np": np})
    return bool(made.dtype == value.dtype and made.shape == value.shape and made.tobytes() == value.tobytes())


def _of_one_number(value: np.ndarray) -> Optional[str]:
    number = value.flat[0].item()
    if not np.isfinite(number) or (value != value.flat[0]).any():
        return None
    shape, dtype = list(value.shape), value.dtype.name
    return f"np.full({shape}, {number!r}, {dtype!r})" if number else f"np.zeros({shape}, {dtype!r})"


def _of_steps(value: np.ndarray) -> Optional[str]:
    if value.dtype.kind not in "iu":
        return None
    # In the widest signed type, so that negative steps can be represented.
    flat = value.reshape(-1).astype(np.int64)
    levels = _levels(flat)
    if levels is None:
        return None
    first, bounds = int(flat[0]), np.iinfo(value.dtype)
    ends = [end for count, step in levels for end in (count * step, first + count * step)]
    if not all(bounds.min <= end <= bounds.max for end in ends):
        return None  # NumPy's versions treat an end outside of the dtype's range differently
    text = _counted(levels, first, value.dtype.name)
    return text if _is_flat(levels) and value.ndim == 1 else f"{text}.reshape({list(value.shape)})"


def _levels(flat: np.ndarray) -> Optional[List[Tuple[int, int]]]:
    """How *flat* counts: pairs of a count and a step, the slowest level first; None if it does not count."""
    levels: List[Tuple[int, int]] = []
    while flat.size > 1:
        steps = np.diff(flat)
        others = np.flatnonzero(steps != steps[0])
        count = int(others[0]) + 1 if others.size else flat.size
        if flat.size % count or len(levels) == _MOST_LEVELS:
            return None
        inner = flat[:count] - flat[0]
        flat, blocks = flat[::count], flat.reshape(-1, count)
        if (blocks - blocks[:, :1] != inner).any():
            return None
        levels.insert(0, (count, int(steps[0])))
    return levels


def _counted(levels: List[Tuple[int, int]], first: int, dtype: str) -> str:
    """An expression for the array that counts as *levels* say, from *first*.

    Its result has one dimension unless its outermost call is ``np.add.outer``.
    """
    *slower, (count, step) = levels
    if not slower:
        begin = "" if not first and step == 1 else f"{first}, "
        # The end is the last number plus one step, so that the count is easy to see.
        end = first + count * step
        return f"np.arange({begin}{end}{f', {step}' if step != 1 else ''}, dtype={dtype!r})"
    if step == 0:
        return f"np.repeat({_counted(slower, first, dtype)}, {count})"
    (times, pace), *faster = levels
    if pace == 0:
        text = _counted(faster, first, dtype)
        return f"np.tile({text}{'' if _is_flat(faster) else '.reshape(-1)'}, {times})"
    return f"np.add.outer({_counted(slower, first, dtype)}, {_counted([levels[-1]], 0, dtype)})"


def _is_flat(levels: List[Tuple[int, int]]) -> bool:
    """Whether the expression for *levels* makes an array of one dimension."""
    return len(levels) == 1 or 0 in (levels[0][1], levels[-1][1])
