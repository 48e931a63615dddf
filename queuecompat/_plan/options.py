"""The options of a pipeline, for behaviour that TF1 did not have; every default is TF1's behaviour.

Rule 1: an option applies to the stages that are made while it is in effect. ``Stage.__init__`` records the current
        options; a plan, with its branches, has the options of the stage that it ends with (``ir.Plan.options``).
        Options are not looked up later.
Rule 2: options are set for a ``with`` block in one thread (``options``) or for the process (``choose_for_process``); a
        block overrides the process.
Rule 3: to add an option, add a field to ``Options`` and its check to ``_checked``; ``queuecompat.options``,
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
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, Union

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
        return dataclasses.replace(self, **plain)._checked()

    def _checked(self) -> Options:
        _require(self.shuffle in (None, "global"), shuffle=self.shuffle, wanted="None or 'global'")
        is_pair = isinstance(self.shard, tuple) and len(self.shard) == 2 and all(type(one) is int for one in self.shard)
        is_part = is_pair and 0 <= self.shard[0] < self.shard[1]  # type: ignore[index,operator]
        wanted = "None, 'auto', or (number, count) with 0 <= number < count"
        _require(self.shard in (None, "auto") or is_part, shard=self.shard, wanted=wanted)
        _require(self.on_error in ("raise", "skip"), on_error=self.on_error, wanted="'raise' or 'skip'")
        is_count = type(self.max_errors) is int and self.max_errors >= 0
        _require(self.max_errors is None or is_count, max_errors=self.max_errors, wanted="None or a number of elements")
        is_used = self.max_errors is None or self.on_error == "skip"
        _require(is_used, max_errors=self.max_errors, wanted="None, unless on_error='skip'")
        is_place = self.cache is None or (isinstance(self.cache, (str, os.PathLike)) and bool(self.cache))
        _require(is_place, cache=self.cache, wanted="None, 'ram', or the name of a folder")
        is_size = type(self.cache_bytes) is int and self.cache_bytes > 0
        _require(self.cache_bytes is None or is_size, cache_bytes=self.cache_bytes, wanted="None or a number of bytes")
        is_used = self.cache_bytes is None or self.cache is not None
        _require(is_used, cache_bytes=self.cache_bytes, wanted="None, unless cache is 'ram' or a folder")
        _require(type(self.checkpoint) is bool, checkpoint=self.checkpoint, wanted="True or False")
        _require(self.random in (None, "by_index"), random=self.random, wanted="None or 'by_index'")
        is_seed = self.random_seed is None or (type(self.random_seed) is int and self.random is not None)
        _require(is_seed, random_seed=self.random_seed, wanted="None, or an integer with random='by_index'")
        is_address = isinstance(self.data_service, str) and _ADDRESS.fullmatch(self.data_service) is not None
        wanted = "None or 'grpc://host:port', the address of a dispatcher"
        _require(self.data_service is None or is_address, data_service=self.data_service, wanted=wanted)
        is_job = (
            isinstance(self.data_service_job, str) and self.data_service_job != "" and self.data_service is not None
        )
        wanted = "None or a name that is not empty, with a data_service"
        _require(self.data_service_job is None or is_job, data_service_job=self.data_service_job, wanted=wanted)
        return dataclasses.replace(self, cache=os.fspath(self.cache)) if isinstance(self.cache, os.PathLike) else self


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else value


def _require(holds: bool, *, wanted: str, **given: Any) -> None:
    if not holds:
        ((name, value),) = given.items()
        raise error(QueueCompatValueError, "QC531", name=name, given=repr(value), wanted=wanted)


_ADDRESS = re.compile(r"(\w+://)?(\[[0-9a-fA-F:]+\]|[^\s/:\[\]]+):\d+")

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


def _names() -> set[str]:
    return {field.name for field in dataclasses.fields(Options)}


def _require_known(chosen: Mapping[str, Any]) -> None:
    for name in chosen:
        if name not in _names():
            near = difflib.get_close_matches(name, _names(), n=1)
            instead = f"did you mean {near[0]}?" if near else f"the options are {', '.join(sorted(_names()))}"
            raise error(QueueCompatTypeError, "QC530", name=name, instead=instead)


def _parameters(function: Callable[..., Any]) -> set[str]:
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a callable without a signature
        return set()
