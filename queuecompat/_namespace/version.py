"""The version that ``tf.__version__`` of the namespace names: that of the last TensorFlow 1.

Programs compare it to decide which names to use. With TensorFlow 2's number they would choose names of TensorFlow 2,
although what they import here is TensorFlow 1's namespace.
"""

from __future__ import annotations

import operator
import re
from typing import Any, Callable, List, Tuple

__all__ = ["VERSION", "Version"]

_NUMBERS = re.compile(r"(\d+(?:\.\d+)*)")


class Version(str):
    """A version, as a string that is ordered by its numbers: ``tf.__version__ < "1.4.0"`` is false in 1.15.5.

    In TensorFlow 1.15 itself such a comparison is one of strings, and true; who wrote it did not mean that.
    """

    def __lt__(self, other: str) -> bool:
        return _compared(self, other, operator.lt)

    def __le__(self, other: str) -> bool:
        return _compared(self, other, operator.le)

    def __gt__(self, other: str) -> bool:
        return _compared(self, other, operator.gt)

    def __ge__(self, other: str) -> bool:
        return _compared(self, other, operator.ge)

    def __reduce__(self) -> Tuple[Any, ...]:
        return str, (str(self),)  # a file that is written here may be read without this package


def _compared(one: str, other: Any, how: Callable[[Any, Any], bool]) -> bool:
    """*one* compared with *other*: their numbers, or, if one of them has none, the strings themselves."""
    numbers = _numbers(one), _numbers(other) if isinstance(other, str) else []
    if not all(numbers):
        return how(str(one), other)
    length = max(map(len, numbers))
    return how(*([*given, *[0] * (length - len(given))] for given in numbers))


def _numbers(version: str) -> List[int]:
    found = _NUMBERS.match(version)
    return [int(part) for part in found[1].split(".")] if found else []


VERSION = Version("1.15.5")
