"""``BackgroundLoader``: batches of NumPy arrays, loaded by threads or processes while the model computes."""

from __future__ import annotations

import contextlib
import functools
import weakref
from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Type, Union

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, calling_line, error
from queuecompat.loader import randomness
from queuecompat.loader.blocks import Block
from queuecompat.loader.calls import Call
from queuecompat.loader.crew import Crew
from queuecompat.loader.failures import LoaderClosedError, Skipped, Tolerance
from queuecompat.loader.mixing import Mixer
from queuecompat.loader.passes import Pass, Pattern, Team
from queuecompat.loader.settings import Settings, check_source
from queuecompat.loader.statistics import Statistics, Tally
from queuecompat.loader.streams import Example, Limits, Mark, Stream
from queuecompat.loader.threads import Threads
from queuecompat.loader.walks import is_sequence, walk

__all__ = ["BackgroundLoader", "Batches"]


class BackgroundLoader:
    """Loads examples in the background and gives them in batches::

    with queuecompat.BackgroundLoader(paths, load, batch_size=64, shuffle=True) as loader:
        for epoch in range(10):
            for images in loader:
                train(images)
    """

    def __init__(
        self,
        source: Union[Sequence[Any], Iterable[Any]],
        load: Optional[Callable[..., Any]] = None,
        *,
        batch_size: int,
        capacity: Optional[int] = None,
        min_after_dequeue: int = 0,
        num_workers: Optional[int] = None,
        workers: str = "threads",
        shuffle: bool = False,
        num_epochs: Optional[int] = 1,
        seed: Optional[int] = None,
        drop_remainder: bool = False,
        copy: bool = True,
        on_error: str = "raise",
        max_errors: Optional[int] = None,
        progress: bool = False,
    ) -> None:
        self._settings = Settings.checked(
            batch_size=batch_size,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            num_workers=num_workers,
            workers=workers,
            shuffle=shuffle,
            num_epochs=num_epochs,
            seed=randomness.drawn_seed() if seed is None else seed,
            drop_remainder=drop_remainder,
            copy=copy,
            on_error=on_error,
            max_errors=max_errors,
            progress=progress,
            made_at=calling_line(),
        )
        check_source(source, num_epochs)
        if load is not None and not callable(load):
            raise error(QueueCompatTypeError, "QC601", argument="load", given=repr(load), needed="a function, or None")
        self._source = source
        self._call = Call.of(source, load, self._settings.seed)
        self._pattern = Pattern()
        self._tolerance = Tolerance(on_error, max_errors, self._settings.made_at)
        self._tally = Tally()
        self._pass: Optional[Pass] = None
        self._pass_number = 0  # of the next pass
        self._is_closed = False
        self._is_in_block = False
        self._crew: Optional[Crew] = None
        self._block = contextlib.ExitStack()
        weakref.finalize(self, self._block.close)

    def __iter__(self) -> Batches:
        """Begins the next pass: *num_epochs* epochs, with new randomness. One that was under way is closed."""
        if self._is_closed:
            raise error(LoaderClosedError, "QC602", what="loader", how="was closed")
        if self._pass is not None:
            self._pass.close()
        if isinstance(self._source, Iterator) and self._pass_number:
            given = f"a {type(self._source).__name__}"
            raise error(QueueCompatValueError, "QC604", what="another iteration", given=given)
        team = self._team()
        one = self._new_pass(self._pass_number, team)
        self._pass, self._pass_number = one, self._pass_number + 1
        ends = [one.close]
        if isinstance(team, Crew) and team is not self._crew:
            ends.append(team.close)
        batches = Batches(self, one, self._settings, ends)
        try:
            one.start()
        except BaseException:
            batches.close()
            raise
        return batches

    def _team(self) -> Team:
        settings = self._settings
        if settings.workers == "threads":
            return Threads(self._call, settings.num_workers, settings.made_at)
        if self._crew is not None and self._crew.is_whole:
            return self._crew
        crew = Crew(self._call, settings.num_workers, settings.batch_size, settings.made_at)
        if self._is_in_block:
            # Processes are slow to start: the block keeps them for the next epoch.
            self._block.close()
            self._block.callback(crew.close)
            self._crew = crew
        return crew

    def _new_pass(self, number: int, team: Team) -> Pass:
        settings = self._settings
        first = number * (settings.num_epochs or 0) if settings.num_epochs else number
        mark = Mark(first)
        limits = Limits.within(
            settings.capacity, settings.batch_size, settings.min_after_dequeue, shuffle=settings.shuffle
        )
        mixer = functools.partial(_mixer, settings.seed, number, mark)
        end = first + settings.num_epochs if settings.num_epochs else None
        return Pass(
            Stream(limits, mixer, drop_remainder=settings.drop_remainder, mark=mark),
            walk(
                self._source,
                (mark.epoch, end),
                seed=settings.seed,
                pool=settings.capacity if settings.shuffle else None,
                offset=mark.offset,
            ),
            quick=is_sequence(self._source),
            is_endless=end is None,
            batch_size=settings.batch_size,
            pattern=self._pattern,
            team=team,
            tolerance=self._tolerance,
            tally=self._tally,
            made_at=settings.made_at,
        )

    def __enter__(self) -> BackgroundLoader:
        self._is_in_block = True
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        problem: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers, and waits for them. A second call does nothing."""
        self._is_closed = True
        if self._pass is not None:
            self._pass.close()
        self._block.close()

    @property
    def skipped(self) -> List[Skipped]:
        """The different items that were left out (``on_error="skip"``), in the order of their failures."""
        return list(self._tolerance.skipped.values())

    def statistics(self) -> Statistics:
        """What the loader did so far, over all passes, and the verdict: who waits for whom."""
        return self._tally.report(
            fill=self._pass.fill if self._pass is not None else 0,
            skipped=self._tolerance.count,
            workers=self._settings.num_workers,
            capacity=self._settings.capacity,
        )


class Batches:
    """One pass, as its consumer sees it. Closed when nobody holds it any more, or with the loader."""

    def __init__(
        self, loader: BackgroundLoader, one_pass: Pass, settings: Settings, ends: List[Callable[[], None]]
    ) -> None:
        self._loader = loader  # must not go before its batches do
        self._pass = one_pass
        self._copy = settings.copy
        self._last: Optional[Block] = None
        self._finalizer = weakref.finalize(self, _call_all, ends)

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        self._last = None  # its memory may be used again from here on
        try:
            batch = self._pass.take()
            if batch is None:
                raise StopIteration
        except BaseException:
            # Now, and not when this is collected: the failure's own traceback holds on to this.
            self.close()
            raise
        assert batch.block is not None
        self._last = None if self._copy else batch.block
        return batch.block.batch(batch.count, holds=self._copy)

    def close(self) -> None:
        """Ends the workers of this pass, and waits for them."""
        self._finalizer()


def _call_all(ends: List[Callable[[], None]]) -> None:
    with contextlib.ExitStack() as stack:
        for end in reversed(ends):
            stack.callback(end)


def _mixer(seed: int, number: int, mark: Mark, depth: int) -> Mixer[Example]:
    return Mixer(
        depth,
        functools.partial(randomness.pool_slots, seed, number),
        drain_order=functools.partial(randomness.drain_order, seed, number),
        serial=mark.serial,
        drawn=mark.drawn,
    )
