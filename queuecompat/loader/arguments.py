"""All arguments of a loader, checked together: a wrong argument raises an error when the loader is made, not later."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Optional

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.batch_arguments import BatchSteps
from queuecompat.loader.calls import Call
from queuecompat.loader.order import randomness
from queuecompat.loader.order.order import Order, Shard
from queuecompat.loader.order_arguments import order_of, shard_of
from queuecompat.loader.settings import Settings, check_source, count_of, refuse

__all__ = ["Arguments"]

_OF_ORDER = ("sampler", "weights", "replacement", "draws")
_OF_BATCHES = (
    "collate",
    "pad_to",
    "pad_value",
    "bucket_by",
    "bucket_boundaries",
    "batch_transform",
    "output",
    "pin_memory",
)


@dataclasses.dataclass(frozen=True)
class Arguments:
    """The checked arguments of ``BackgroundLoader``, whose docstring explains them.

    Attributes:
      settings: the numbers and choices.
      order, shard: decide which items come, and in which order.
      each: ``examples_per_item``.
      steps: how examples become batches, and what happens to batches.
      call: the source, and the function that workers call.
    """

    settings: Settings
    order: Order
    shard: Shard
    each: Optional[int]
    steps: BatchSteps
    call: Call
    on_epoch_end: Optional[Callable[[int], Any]]

    @classmethod
    def checked(cls, source: Any, load: Any, **given: Any) -> Arguments:
        """Checks all arguments of ``BackgroundLoader``.

        Raises:
          QueueCompatValueError, QueueCompatTypeError: as ``BackgroundLoader``.
        """
        of_order = {name: given.pop(name) for name in _OF_ORDER}
        of_batches = {name: given.pop(name) for name in _OF_BATCHES}
        worker_init, on_epoch_end = given.pop("worker_init"), given.pop("on_epoch_end")
        shard, each = given.pop("shard"), given.pop("examples_per_item")
        shuffle = given.pop("shuffle")
        if given["seed"] is None:
            given["seed"] = randomness.drawn_seed()
        settings = Settings.checked(**given, shuffle=shuffle or of_order["weights"] is not None)
        check_source(source, settings.num_epochs)
        checked_shard = shard_of(shard)
        order = order_of(source, shuffle=shuffle, num_epochs=settings.num_epochs, **of_order)
        if load is not None:
            _check_function("load", load, "a function, or None")
            if inspect.iscoroutinefunction(load) or inspect.isasyncgenfunction(load):
                needed = "a function that returns the example: one that calls asyncio.run, say"
                raise error(QueueCompatTypeError, "QC601", argument="load", given="an async function", needed=needed)
        each = count_of("examples_per_item", each, least=1, may_be_none=True)
        if each is not None and of_batches["bucket_by"] is not None:
            refuse("examples_per_item", each, "None with bucket_by=, which decides about the batches itself")
        steps = BatchSteps.checked(**of_batches, made_at=settings.made_at)
        for name, function in (("worker_init", worker_init), ("on_epoch_end", on_epoch_end)):
            if function is not None:
                _check_function(name, function, "a function")
        call = Call.of(source, load, steps.prepare, worker_init)
        return cls(settings, order, checked_shard, each, steps, call, on_epoch_end)

    def with_seed(self, seed: int) -> Arguments:
        return dataclasses.replace(self, settings=self.settings.with_seed(seed))


def _check_function(name: str, function: Any, needed: str) -> None:
    if not callable(function):
        raise error(QueueCompatTypeError, "QC601", argument=name, given=repr(function), needed=needed)
