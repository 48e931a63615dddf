"""The version that ``tf.__version__`` of the namespace names: that of the last TensorFlow 1.

Programs compare it to decide which names to use. With TensorFlow 2's number they would choose names of TensorFlow 2,
although what they import here is TensorFlow 1's namespace.
"""

from __future__ import annotations

import re
from typing import Any, Callable, List, Tuple

__all__ = ["VERSION", "Version"]

_NUMBERS = re.compile(r"(\d+(?:\.\d+)*)")


class Version(str):
    """A version, as a string that is ordered by its numbers: ``tf.__version__ < "1.4.0"`` is false in 1.15.5.

    In TensorFlow 1.15 itself such a comparison is one of strings, and true; who wrote it did not mean that.
    """

    def __lt__(self, other: str) -> bool:
        return _compared(self, other, str.__lt__)

    def __le__(self, other: str) -> bool:
        return _compared(self, other, str.__le__)

    def __gt__(self, other: str) -> bool:
        return _compared(self, other, str.__gt__)

    def __ge__(self, other: str) -> bool:
        return _compared(self, other, str.__ge__)

    def __reduce__(self) -> Tuple[Any, ...]:
        return str, (str(self),)  # a file that is written here may be read without this package


def _compared(one: str, other: Any, how: Callable[..., bool]) -> bool:
    """*one* compared with *other*: their numbers, in digits that sort as the numbers do, or the strings themselves."""
    if not isinstance(other, str):
        return how(one, other)
    numbers = _numbers(one), _numbers(other)
    if not all(numbers):
        return how(str(one), other)
    length = max(map(len, numbers))
    return how(*(".".join(f"{part:09}" for part in [*given, *[0] * (length - len(given))]) for given in numbers))


def _numbers(version: str) -> List[int]:
    found = _NUMBERS.match(version)
    return [int(part) for part in found[1].split(".")] if found else []


VERSION = Version("1.15.5")
