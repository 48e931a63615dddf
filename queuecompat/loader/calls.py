"""How ``load`` is called: with the item, and with ``rng`` and ``out`` if its signature asks for them.

Rule 1: ``out`` is passed by name, to a parameter called ``out``. ``rng`` is passed to a parameter called ``rng``, or to
        the second parameter if that has no default and is not called ``out``.
Rule 2: a function whose signature cannot be inspected (many C functions) is called with the item alone.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any, Callable, Optional

import numpy as np

from queuecompat.errors import shown_line
from queuecompat.loader.failures import NothingReturnedError
from queuecompat.loader.mapped import reopened_in_processes
from queuecompat.loader.memory.boxes import Preparation
from queuecompat.loader.order import randomness
from queuecompat.loader.order.sampler import NOTHING, Item

__all__ = ["ONE", "Call", "LoadsSeveral", "are_several", "takes_rng"]

# The most frequent types of a single example. A fast test: none of them is an iterator.
ONE = frozenset({np.ndarray, int, float, str, bytes, dict, list, tuple})

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class LoadsSeveral:
    """A ``load`` of this package that yields the same number of examples, ``examples_per_item``, for every item."""

    @property
    def examples_per_item(self) -> int:
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Call:
    """Calls ``load`` on items of *source*; returns the items themselves if *load* is None. Sent to worker processes.

    Attributes:
      rng: how ``load`` takes random numbers: "by name", "in second place", or None for not at all.
      takes_out: whether ``load`` has a parameter ``out``.
      out: whether ``out`` is the example's row. If not, it is None: an example that is prepared before it is written
        has no row yet.
      prepare: what is done with each example that ``load`` returned, or None.
      init: the user's ``worker_init``, called by each worker with its number; or None.
    """

    source: Any
    load: Optional[Callable[..., Any]]
    rng: Optional[str] = None
    takes_out: bool = False
    out: bool = False
    prepare: Optional[Preparation] = None
    init: Optional[Callable[[int], Any]] = None

    @classmethod
    def of(
        cls,
        source: Any,
        load: Optional[Callable[..., Any]],
        prepare: Optional[Preparation] = None,
        init: Optional[Callable[[int], Any]] = None,
    ) -> Call:
        takes_out = "out" in _parameters(load)
        return cls(source, load, takes_rng(load), takes_out, takes_out and prepare is None, prepare, init)

    def for_processes(self, is_sequence: bool) -> Call:
        """Returns the call as a worker process needs it: with the source if that is a sequence, whose items the process
        fetches itself; otherwise without, since this process iterates over the source."""
        return dataclasses.replace(self, source=reopened_in_processes(self.source) if is_sequence else None)

    @property
    def plain(self) -> Optional[Callable[[Any], Any]]:
        """``load``, if it is called with the item's value alone; otherwise None."""
        return self.load if self.rng is None and not self.takes_out else None

    def fetched(self, item: Item) -> Any:
        """Returns the value of *item*, which is fetched from the source if that was not done yet."""
        return self.source[item.index] if item.value is NOTHING else item.value

    def prepared(self, example: Any) -> Any:
        """Returns *example* ready to be written into a batch.

        Raises:
          NothingReturnedError: ``load`` returned None.
        """
        if example is None and self.load is not None:
            raise NothingReturnedError(_line_of(self.load))
        return example if self.prepare is None else self.prepare(example)

    @property
    def is_generator(self) -> bool:
        """Whether ``load`` is a generator function, whose items certainly produce several examples. False is no
        certainty: other functions may return an iterator, too."""
        load = self.load.func if isinstance(self.load, functools.partial) else self.load
        return load is not None and any(map(inspect.isgeneratorfunction, (load, type(load).__call__)))

    def __call__(self, item: Item, value: Any, *, seed: int, out: Any = None) -> Any:
        """Returns what ``load`` returns for *value*, which is the value of *item*."""
        if self.load is None:
            return value
        if self.rng is None and not self.takes_out:
            return self.load(value)
        arguments, named = [value], {}
        if self.rng:
            rng = _rng_of(seed, item)
            if self.rng == "by name":
                named["rng"] = rng
            else:
                arguments.append(rng)
        if self.takes_out:
            named["out"] = out
        return self.load(*arguments, **named)


def are_several(result: Any) -> bool:
    """Returns whether *result* is an iterator, which produces any number of examples."""
    # The same test as ``isinstance(result, Iterator)``, at a fifth of its cost.
    kind = type(result)
    return hasattr(kind, "__next__") and hasattr(kind, "__iter__")


def takes_rng(function: Optional[Callable[..., Any]]) -> Optional[str]:
    """Returns how *function* takes random numbers: "in second place", "by name", or None for not at all."""
    parameters = _parameters(function)
    positional = [p for p in parameters.values() if p.kind in _POSITIONAL]
    if len(positional) > 1:
        second = positional[1]
        if second.name == "rng" or (second.name != "out" and second.default is inspect.Parameter.empty):
            return "in second place"
    return "by name" if "rng" in parameters else None


def _rng_of(seed: int, item: Item) -> np.random.Generator:
    if item.draw is not None:
        return randomness.draw_rng(seed, item.epoch, item.draw)
    return randomness.example_rng(seed, item.epoch, item.index)


def _line_of(load: Callable[..., Any]) -> str:
    """Returns the source line at which *load* is defined, or its ``repr`` if that is not known."""
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
