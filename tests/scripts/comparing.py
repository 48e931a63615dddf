"""Where two summaries differ.

Whole numbers, texts and lengths must be equal: they say which elements came, in which order and of
which kind. A floating-point number may differ by ``TOLERANCE``, for it went through a training step,
and TensorFlow's matrix products do not add in the same order in every version.
"""

from __future__ import annotations

import math
from typing import Any, List

__all__ = ["TOLERANCE", "differences"]

# Of the larger number. After 30 steps, losses of TF 1.15 and 2.x differ by some 1e-6.
TOLERANCE = 1e-4


def differences(recorded: Any, given: Any, where: str = "summary") -> List[str]:
    """One line for each place where *given* is not what was *recorded*; both as ``json.load`` returns them."""
    if isinstance(recorded, dict) and isinstance(given, dict):
        names = sorted(set(recorded) | set(given))
        missing = object()
        pairs = [(f"{where}[{name!r}]", recorded.get(name, missing), given.get(name, missing)) for name in names]
        lines = [
            f"{place}: only {'given' if r is missing else 'recorded'}" for place, r, g in pairs if missing in (r, g)
        ]
        return lines + _all((place, r, g) for place, r, g in pairs if missing not in (r, g))
    if isinstance(recorded, list) and isinstance(given, list) and len(recorded) == len(given):
        return _all((f"{where}[{index}]", r, g) for index, (r, g) in enumerate(zip(recorded, given)))
    if type(recorded) is type(given) is float and math.isclose(recorded, given, rel_tol=TOLERANCE, abs_tol=1e-7):
        return []
    if type(recorded) is type(given) and recorded == given:
        return []
    return [f"{where}: recorded {recorded!r}, given {given!r}"]


def _all(pairs: Any) -> List[str]:
    return [line for place, recorded, given in pairs for line in differences(recorded, given, place)]
