"""How ``load`` is called: with the item, and with what else it asks for by its signature.

Rule 1: ``rng`` is given to a parameter of that name, or to a second one without a default; ``out`` only to a
        parameter of that name.
Rule 2: what cannot be inspected (many functions in C) gets the item alone.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any, Callable, Optional

from queuecompat.errors import shown_line
from queuecompat.loader import randomness
from queuecompat.loader.failures import NothingReturnedError
from queuecompat.loader.sampler import NOTHING, Item

__all__ = ["Call"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclasses.dataclass(frozen=True)
class Call:
    """``load`` on items of *source*; None for *load* gives the items themselves. Travels to worker processes."""

    source: Any
    load: Optional[Callable[..., Any]]
    rng: Optional[str] = None  # "by name", "in second place", or not at all
    out: bool = False

    @classmethod
    def of(cls, source: Any, load: Optional[Callable[..., Any]]) -> Call:
        parameters = _parameters(load)
        positional = [p for p in parameters.values() if p.kind in _POSITIONAL]
        rng = None
        if len(positional) > 1 and (positional[1].name == "rng" or positional[1].default is inspect.Parameter.empty):
            rng = "in second place"
        elif "rng" in parameters:
            rng = "by name"
        return cls(source, load, rng, "out" in parameters)

    def for_processes(self, is_sequence: bool) -> Call:
        """What a worker process needs: of a sequence it fetches the items itself; others are iterated over here."""
        return self if is_sequence else dataclasses.replace(self, source=None)

    def fetched(self, item: Item) -> Any:
        """The item itself."""
        return self.source[item.index] if item.value is NOTHING else item.value

    def check(self, example: Any) -> None:
        """Raises NothingReturnedError if ``load`` has returned nothing."""
        if example is None and self.load is not None:
            raise NothingReturnedError(_line_of(self.load))

    @property
    def is_generator(self) -> bool:
        """Whether items surely give several examples; other functions may return an iterator as well."""
        load = self.load.func if isinstance(self.load, functools.partial) else self.load
        return load is not None and any(map(inspect.isgeneratorfunction, (load, type(load).__call__)))

    def __call__(self, item: Item, value: Any, *, seed: int, out: Any = None) -> Any:
        """What ``load`` gives for *value*, the content of *item*."""
        if self.load is None:
            return value
        arguments, named = [value], {}
        if self.rng:
            rng = randomness.example_rng(seed, item.epoch, item.index)
            if self.rng == "by name":
                named["rng"] = rng
            else:
                arguments.append(rng)
        if self.out:
            named["out"] = out
        return self.load(*arguments, **named)


def _line_of(load: Callable[..., Any]) -> str:
    """Where it is defined, or its name."""
    while isinstance(load, functools.partial):
        load = load.func
    for function in (inspect.unwrap(load), type(load).__call__):
        code = getattr(function, "__code__", None)
        if code is not None:
            return shown_line(code.co_filename, code.co_firstlineno)
    return repr(load)


def _parameters(load: Optional[Callable[..., Any]]) -> Any:
    try:
        return inspect.signature(load).parameters if load is not None else {}
    except (TypeError, ValueError):
        return {}
