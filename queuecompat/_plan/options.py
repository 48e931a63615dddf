"""The options of a pipeline, for behaviour that TF1 did not have; every default is TF1's behaviour.

Rule 1: an option applies to the stages that are made while it is in effect. ``Stage.__init__`` records the current
        options; a plan, with its branches, has the options of the stage that it ends with (``ir.Plan.options``).
        Options are not looked up later.
Rule 2: options are set for a ``with`` block in one thread (``options``) or for the process (``choose_for_process``); a
        block overrides the process.
Rule 3: to add an option, add a field to ``Options`` and its rules to ``_RULES``; ``queuecompat.options``,
        ``as_dataset`` and the processes that a program starts then have it.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import difflib
import inspect
import numbers
import os
import re
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Set, Tuple, Union

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error

__all__ = ["DEFAULTS", "Options", "choose_for_process", "chosen_for_process", "current", "named", "options"]


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of one pipeline, which ``options`` describes."""

    shuffle: Optional[str] = None
    shard: Union[str, Tuple[int, int], None] = None
    on_error: str = "raise"
    max_errors: Optional[int] = None
    cache: Optional[str] = None
    cache_bytes: Optional[int] = None
    checkpoint: bool = False
    random: Optional[str] = None
    random_seed: Optional[int] = None
    data_service: Optional[str] = None
    data_service_job: Optional[str] = None

    def checked(self) -> Options:
        """Returns these options with a folder as a string and whole numbers as ``int``.

        Raises:
          QueueCompatValueError: QC531, an option has a wrong value.
        """
        plain = {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}
        chosen = dataclasses.replace(self, **plain)
        for name, holds, wanted in _RULES:
            if not holds(chosen):
                given = repr(getattr(chosen, name))
                raise error(QueueCompatValueError, "QC531", name=name, given=given, wanted=wanted)
        if isinstance(chosen.cache, os.PathLike):
            return dataclasses.replace(chosen, cache=os.fspath(chosen.cache))
        return chosen


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else value


def _is_part(shard: Any) -> bool:
    is_pair = isinstance(shard, tuple) and len(shard) == 2 and all(type(one) is int for one in shard)
    return is_pair and 0 <= shard[0] < shard[1]


def _is_place(cache: Any) -> bool:
    return isinstance(cache, (str, os.PathLike)) and bool(cache)


def _is_address(service: Any) -> bool:
    return isinstance(service, str) and _ADDRESS.fullmatch(service) is not None


_ADDRESS = re.compile(r"(\w+://)?(\[[0-9a-fA-F:]+\]|[^\s/:\[\]]+):\d+")

# For each option, whether its value is right, and what it should be. An option with two rows has to satisfy both.
_RULES: Tuple[Tuple[str, Callable[[Options], bool], str], ...] = (
    ("shuffle", lambda o: o.shuffle in (None, "global"), "None or 'global'"),
    (
        "shard",
        lambda o: o.shard in (None, "auto") or _is_part(o.shard),
        "None, 'auto', or (number, count) with 0 <= number < count",
    ),
    ("on_error", lambda o: o.on_error in ("raise", "skip"), "'raise' or 'skip'"),
    (
        "max_errors",
        lambda o: o.max_errors is None or (type(o.max_errors) is int and o.max_errors >= 0),
        "None or a number of elements",
    ),
    ("max_errors", lambda o: o.max_errors is None or o.on_error == "skip", "None, unless on_error='skip'"),
    ("cache", lambda o: o.cache is None or _is_place(o.cache), "None, 'ram', or the name of a folder"),
    (
        "cache_bytes",
        lambda o: o.cache_bytes is None or (type(o.cache_bytes) is int and o.cache_bytes > 0),
        "None or a number of bytes",
    ),
    (
        "cache_bytes",
        lambda o: o.cache_bytes is None or o.cache is not None,
        "None, unless cache is 'ram' or a folder",
    ),
    ("checkpoint", lambda o: type(o.checkpoint) is bool, "True or False"),
    ("random", lambda o: o.random in (None, "by_index"), "None or 'by_index'"),
    (
        "random_seed",
        lambda o: o.random_seed is None or (type(o.random_seed) is int and o.random is not None),
        "None, or an integer with random='by_index'",
    ),
    (
        "data_service",
        lambda o: o.data_service is None or _is_address(o.data_service),
        "None or 'grpc://host:port', the address of a dispatcher",
    ),
    (
        "data_service_job",
        lambda o: (
            o.data_service_job is None
            or (isinstance(o.data_service_job, str) and o.data_service_job != "" and o.data_service is not None)
        ),
        "None or a name that is not empty, with a data_service",
    ),
)

DEFAULTS = Options()

_of_process: Dict[str, Any] = {}
_of_block: contextvars.ContextVar[Optional[Options]] = contextvars.ContextVar("queuecompat_options", default=None)


def current() -> Options:
    """Returns the options in effect in this thread now."""
    in_block = _of_block.get()
    return Options(**_of_process) if in_block is None else in_block


@contextlib.contextmanager
def options(**chosen: Any) -> Iterator[None]:
    """Sets options for the pipelines that are built in the block; the blocks around it decide the others.

    Args:
      shuffle: "global": every epoch is a random order over all records of all files, by blocks; None: TF1's order.
      shard: (number, count): read only this one of *count* equal parts of the data; "auto": take both from the
        cluster's environment; None: read all of it.
      on_error: "raise", or "skip": leave out and list elements on which an op or a Python function fails.
      max_errors: with "skip", how many elements may be left out; None: any number.
      cache: "ram" or a folder: keep the results of the ops before the first random op, and before the shuffling, and
        compute them only once; None: keep nothing.
      cache_bytes: with *cache*, the limit in bytes; None: half of the memory or disk that is free at the start.
      checkpoint: save the position of the pipeline in the program's checkpoints, and continue there after a restore.
      random: "by_index": random ops without a seed draw the same numbers for the same record of the same epoch,
        regardless of threads, shards and restarts; None: they draw the next numbers.
      random_seed: with "by_index", the seed of these numbers; None: 0.
      data_service: "grpc://host:port", the dispatcher of the tf.data service whose workers compute the pipeline up to
        its first batch; None: this process computes it.
      data_service_job: with *data_service*, processes that name the same job share its elements; None: each process
        gets all of them.
    Raises:
      QueueCompatTypeError: QC530, there is no option of that name.
      QueueCompatValueError: QC531, an option has a wrong value.
    """
    _require_known(chosen)
    if chosen.get("data_service", "") is None:  # without a service there is no job
        chosen = {"data_service_job": None, **chosen}
    token = _of_block.set(dataclasses.replace(current(), **chosen).checked())
    try:
        yield
    finally:
        _of_block.reset(token)


def choose_for_process(chosen: Mapping[str, Any]) -> None:
    """Sets the options of the process, which are in effect outside of ``options`` blocks; replaces earlier ones.

    Raises:
      The errors of ``options``.
    """
    _require_known(chosen)
    Options(**chosen).checked()
    _of_process.clear()
    _of_process.update(chosen)


def chosen_for_process() -> Dict[str, Any]:
    """Returns the options that ``choose_for_process`` has set, to be passed to processes that this one starts."""
    return dict(_of_process)


def named(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Splits keyword *arguments* into those for *function* and those that are options.

    A parameter of *function* with the name of an option is not an option.
    """
    names = _names() - _parameters(function)
    rest = {name: value for name, value in arguments.items() if name not in names}
    return rest, {name: value for name, value in arguments.items() if name in names}


def _names() -> Set[str]:
    return {field.name for field in dataclasses.fields(Options)}


def _require_known(chosen: Mapping[str, Any]) -> None:
    for name in chosen:
        if name not in _names():
            near = difflib.get_close_matches(name, _names(), n=1)
            instead = f"did you mean {near[0]}?" if near else f"the options are {', '.join(sorted(_names()))}"
            raise error(QueueCompatTypeError, "QC530", name=name, instead=instead)


def _parameters(function: Callable[..., Any]) -> Set[str]:
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a callable without a signature
        return set()
