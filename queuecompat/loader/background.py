"""``BackgroundLoader``: batches of NumPy arrays, loaded by threads or processes while the model computes."""

from __future__ import annotations

import contextlib
import functools
import os
import weakref
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Type, Union

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, calling_line, error
from queuecompat.loader import randomness
from queuecompat.loader.batches import Batches
from queuecompat.loader.calls import Call
from queuecompat.loader.epoch_run import FORKED, EpochRun, InferredSpec, WorkerPool
from queuecompat.loader.failures import LoaderClosedError, Skipped, Tolerance
from queuecompat.loader.positions import Position
from queuecompat.loader.process_pool import ProcessPool
from queuecompat.loader.sampler import is_sequence, sampled
from queuecompat.loader.settings import Settings, check_source
from queuecompat.loader.shuffle_buffer import ShuffleBuffer
from queuecompat.loader.statistics import Counters, Statistics
from queuecompat.loader.streams import Cursor, Example, Limits, Stream
from queuecompat.loader.thread_pool import ThreadPool

if TYPE_CHECKING:
    import tensorflow as tf

__all__ = ["BackgroundLoader"]


class BackgroundLoader:
    """Loads examples in the background and gives them in batches of NumPy arrays::

        with queuecompat.BackgroundLoader(paths, load, batch_size=64, shuffle=True) as loader:
            for epoch in range(10):
                for images in loader:
                    train(images)

    One ``for`` is one pass over the data: *num_epochs* epochs. The next ``for`` is the next pass, with a new order and
    new random numbers. What is in a batch is a function of the arguments and the seed: it never depends on the number
    or the kind of workers, nor on who was faster.

    Args:
      source: a sequence of any Python objects, whose items the workers fetch by number, several at a time; or an
        iterable, whose items are fetched one after another. An iterator (a generator, say) lasts for one epoch.
      load: ``load(item)`` or ``load(item, rng)``, called by the workers. *rng* is a ``numpy.random.Generator`` of
        that item's own, a function of (seed, epoch, index of the item). It returns an array, a number or any nesting
        of dicts, lists, tuples and named tuples of them, the same for each item; text and other objects may be among
        them, and come in arrays of objects. A generator function (or whatever else returns an iterator) gives any
        number of examples, each of which counts. A parameter named ``out`` gets the example's own place in the batch,
        as the nesting that ``load`` returns, or None where that is not known yet; what was written there
        and is returned is not copied any more. None for *load* takes the items themselves for examples.
      batch_size: examples a batch.
      capacity: most examples that are loaded, or being loaded, and wait: memory is bounded by these, the batch that is
        put together and the one that the consumer has. In examples. Default: *min_after_dequeue* and three batches;
        where that is less than two examples a worker, so many are loaded ahead.
      min_after_dequeue: with *shuffle*, the fewest examples in the shuffle buffer that the next one is drawn from, as
        long as data lasts. Less than *capacity*.
      num_workers: threads or processes. Default: one for each core that this process may use.
      workers: "threads", which share Python's lock and are best with decoders that release it (Pillow, OpenCV,
        NumPy); or "processes", for work in Python itself: *source* and *load* are pickled, examples come through
        shared memory. New processes are started for each pass, but a ``with`` block keeps them from one to the next.
      shuffle: a sequence in a new random order each epoch; an iterable through a shuffle buffer of *capacity* items
        that have not been loaded. Where items give several examples, these go through a shuffle buffer besides, which
        has what *capacity* leaves it (*min_after_dequeue* at least), so that those of one item come in different
        batches.
      num_epochs: epochs a pass; None has no end. Batches straddle epochs.
      seed: for all randomness. None draws one, which ``repr`` shows.
      drop_remainder: leaves out the last batch of a pass if it is not full.
      copy: True: each batch stays valid for as long as the program holds it. False: until the next one is asked for,
        whose memory may be the same.
      on_error: "raise", or "skip": items that ``load`` fails on are left out and listed in ``skipped``.
      max_errors: with "skip", the most different items that may fail. None: any number.
      timeout: most seconds that the consumer waits for a batch; then it is an error that names the items in work.
        None waits forever, with one warning (QC633) after a minute.
      progress: a bar on standard error, in examples.

    Raises:
      QueueCompatValueError: QC601, an argument is of no use; QC603, endless epochs of an empty source; QC604, several
        epochs of an iterator.
      QueueCompatTypeError: QC601, the source is a string, a mapping or nothing to iterate over.

    What the iteration raises: ``LoadError``, with the item and the worker's traceback, after all batches
    before that item (QC603, QC605 to QC609, QC620, QC635), or at once (QC611 to QC613, QC615: a worker process is
    gone; QC632: *timeout*);
    ``LoaderClosedError`` (QC602); ``QueueCompatTypeError`` (QC610: nothing to pickle).

    Ends: the workers end with the pass, with ``break``, with an exception in the loop, with the ``with`` block.

    Differs from TF1's queues: a shuffle buffer is at its capacity, so it mixes better than one that may fall to
    *min_after_dequeue*; a sequence is shuffled as a whole.
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
        timeout: Optional[float] = None,
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
            timeout=timeout,
            progress=progress,
            made_at=calling_line(),
        )
        check_source(source, self._settings.num_epochs)
        if load is not None and not callable(load):
            raise error(QueueCompatTypeError, "QC601", argument="load", given=repr(load), needed="a function, or None")
        self._call = Call.of(source, load)
        self._inferred = InferredSpec()
        self._tolerance = Tolerance(on_error, max_errors, self._settings.made_at)
        self._counters = Counters()
        self._run: Optional[EpochRun] = None
        # After the last batch that was given; and where the next pass begins.
        self._position = self._next = Position.at_start_of(0, self._settings.num_epochs)
        self._is_used_up = False
        self._is_closed = False
        self._is_in_block = False
        self._process_pool: Optional[ProcessPool] = None
        self._process: Optional[int] = None  # that has the workers, once there were any
        self._block = contextlib.ExitStack()
        weakref.finalize(self, self._block.close)

    def __iter__(self) -> Batches:
        """Begins the next pass. One that is under way is closed."""
        return self._begin(holds=self._settings.copy, shows=self._settings.progress)

    def __len__(self) -> int:
        """Batches a pass, when nothing is skipped.

        Raises:
          QueueCompatTypeError: QC619, that is not known, or there is no end.
        """
        self._check_process()
        examples = self._examples_a_pass()
        if isinstance(examples, str):
            raise error(QueueCompatTypeError, "QC619", what="length", why=examples)
        full, rest = divmod(examples, self._settings.batch_size)
        return full + (rest > 0 and not self._settings.drop_remainder)

    def __repr__(self) -> str:
        items, chosen = self._items(), self._settings
        parts = [
            f"{items} items" if items is not None else f"a {type(self._call.source).__name__}",
            f"load={getattr(self._call.load, '__qualname__', repr(self._call.load))}",
            f"batch_size={chosen.batch_size}",
            f"capacity={chosen.capacity}",
            f"min_after_dequeue={chosen.min_after_dequeue}",
            f"{chosen.num_workers} {chosen.workers}",
            f"shuffle={chosen.shuffle}",
            f"num_epochs={chosen.num_epochs}",
            f"seed={chosen.seed}",
        ]
        return f"BackgroundLoader({', '.join(parts)})"

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
        """Ends all workers, and waits for them. A second call does nothing, nor does one in a forked process."""
        self._is_closed = True
        if self._run is not None:
            self._run.close()
        self._block.close()

    def as_dataset(self) -> tf.data.Dataset:
        """The same batches as a ``tf.data.Dataset``; each iterator of it begins the next pass.

        Keras takes it as it is: ``model.fit(loader.as_dataset(), epochs=10)``. One example is loaded now, to see what
        all look like. Lists come as tuples, text as tensors of strings; the cardinality is known where ``len`` is and
        nothing is skipped. Errors of ``load`` come as errors of TensorFlow that carry their text.

        Raises:
          LoadError, LoaderClosedError: as in an iteration.
          QueueCompatTypeError: QC618, ``load`` gives something that is no tensor; QC619, there is no example.
          QueueCompatValueError: QC604, the source is an iterator.
        """
        self._check_process()
        from queuecompat.loader import tensors

        if isinstance(self._call.source, Iterator):
            self._refuse_iterator("as_dataset")
        self._learn_spec()
        assert self._inferred.spec is not None
        endless = self._settings.num_epochs is None
        examples = self._examples_a_pass()
        known = isinstance(examples, int) and self._settings.on_error == "raise"
        return tensors.dataset(
            functools.partial(self._begin, holds=True, shows=self._settings.progress),
            self._inferred.spec,
            self._inferred.objects,
            rows=self._settings.batch_size if self._settings.drop_remainder or endless else None,
            count=-1 if endless else len(self) if known else None,
        )

    def state_dict(self) -> Dict[str, Any]:
        """Where the loader stands, after the last batch that it gave: a small dictionary that JSON can hold.

        A loader with the same source and arguments goes on from there after ``load_state_dict``, in the middle of an
        epoch, too, with exactly the batches that would have come. Behind ``as_dataset`` the loader is ahead of the
        model by what TensorFlow has prefetched.
        """
        self._check_process()
        return self._position.as_state(self._settings, self._items())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next pass begins where the loader stood that gave *state*; its seed is taken over.

        An iterable is read again from the beginning of the epoch; where items give several examples, those that
        may still be in the shuffle buffer are loaded again.

        Raises:
          QueueCompatValueError: QC617, the state is that of another kind of loader.
        """
        self._check_process()
        position = Position.of_state(state, self._settings, self._items())
        if self._run is not None:
            self._run.close()
        self._end_processes()
        self._settings = self._settings.with_seed(state["seed"])
        self._position = self._next = position

    @property
    def skipped(self) -> List[Skipped]:
        """The different items that were left out (``on_error="skip"``), in the order of their failures."""
        self._check_process()
        return list(self._tolerance.skipped.values())

    def statistics(self) -> Statistics:
        """What the loader did so far, over all passes, and the verdict: who waits for whom."""
        self._check_process()
        return self._counters.report(
            fill=self._run.fill if self._run is not None else 0,
            skipped=self._tolerance.count,
            workers=self._settings.num_workers,
            capacity=self._settings.room,
        )

    # Passes.

    def _begin(self, *, holds: bool, shows: bool) -> Batches:
        """The next pass, under way; *holds* as in ``Block.batch``, *shows* a progress bar."""
        if self._is_closed:
            raise error(LoaderClosedError, "QC602", what="loader", how="was closed")
        self._check_process()
        self._process = os.getpid()
        if isinstance(self._call.source, Iterator) and self._is_used_up:
            self._refuse_iterator("another iteration")
        if self._run is not None:
            self._run.close()
        self._is_used_up = True
        position, pool = self._next, self._pool()
        self._run = self._new_run(position, pool)
        self._position = position
        self._next = Position.at_start_of(position.number + 1, self._settings.num_epochs)
        ends = [self._run.close]
        if isinstance(pool, ProcessPool) and pool is not self._process_pool:
            ends.append(pool.close)
        batches = Batches(self, self._run, ends, holds=holds, told=self._bar(position.cursor) if shows else None)
        try:
            self._run.start()
        except BaseException:
            batches.close()
            raise
        return batches

    def moved_to(self, run: EpochRun, cursor: Optional[Cursor]) -> None:
        """The consumer of *run* has got what is before *cursor*; None is everything."""
        if run is self._run:
            self._position = Position(self._position.number, cursor) if cursor is not None else self._next

    def _pool(self) -> WorkerPool:
        chosen = self._settings
        if chosen.workers == "threads":
            return ThreadPool(
                self._call, chosen.seed, count=chosen.num_workers, batch_size=chosen.batch_size, made_at=chosen.made_at
            )
        if self._process_pool is not None and self._process_pool.is_usable:
            return self._process_pool
        self._end_processes()
        process_pool = ProcessPool(
            self._call, chosen.seed, count=chosen.num_workers, batch_size=chosen.batch_size, made_at=chosen.made_at
        )
        # Processes are slow to start: a ``with`` block keeps them for the next pass.
        self._process_pool = process_pool if self._is_in_block else None
        self._block.callback(process_pool.close)
        return process_pool

    def _end_processes(self) -> None:
        """Ends the processes that were kept, if any."""
        self._process_pool = None
        self._block.close()

    def _check_process(self) -> None:
        """Raises in a fork, which has no workers, and locks that some of them may have held forever."""
        if self._process not in (None, os.getpid()):
            raise error(LoaderClosedError, "QC602", what="loader", how=FORKED)

    def _new_run(self, position: Position, pool: WorkerPool) -> EpochRun:
        chosen, cursor = self._settings, position.cursor
        limits = Limits.within(
            chosen.capacity, chosen.batch_size, chosen.min_after_dequeue, shuffle=chosen.shuffle, ahead=chosen.ahead
        )
        buffer = functools.partial(_buffer, chosen.seed, position.number, cursor)
        end = (position.number + 1) * chosen.num_epochs if chosen.num_epochs else None
        return EpochRun(
            Stream(limits, buffer, drop_remainder=chosen.drop_remainder, cursor=cursor),
            sampled(
                self._call.source,
                (cursor.epoch, end),
                seed=chosen.seed,
                pool=chosen.capacity if chosen.shuffle else None,
                offset=cursor.offset,
                at_epoch=pool.begin_epoch,
            ),
            quick=is_sequence(self._call.source),
            is_endless=end is None,
            batch_size=chosen.batch_size,
            inferred=self._inferred,
            pool=pool,
            tolerance=self._tolerance,
            counters=self._counters,
            made_at=chosen.made_at,
            timeout=chosen.timeout,
            most_rows=self._rows_from(cursor, end),
        )

    def _rows_from(self, cursor: Cursor, end: Optional[int]) -> Optional[int]:
        """The examples from *cursor* to the epoch *end*, if each item gives one; None where that is not known."""
        items = self._items()
        return None if items is None or end is None else (end - cursor.epoch) * items - cursor.offset

    def _learn_spec(self) -> None:
        """Begins a pass to see its first example, if none was seen yet; the next pass will be the same."""
        if self._inferred.spec is None:
            before = self._next
            with contextlib.closing(self._begin(holds=True, shows=False)):
                assert self._run is not None
                is_known = self._run.wait_for_spec()
            self._position = self._next = before
            if not is_known:
                raise error(QueueCompatTypeError, "QC619", what="form of an example", why="no item produced an example")

    # What is known of the source.

    def _items(self) -> Optional[int]:
        return len(self._call.source) if is_sequence(self._call.source) else None

    def _examples_a_pass(self) -> Union[int, str]:
        """How many, or why that is not known."""
        items = self._items()
        if items is None:
            return "the source has no length"
        if self._settings.num_epochs is None:
            return "num_epochs=None has no end"
        if self._inferred.several or (self._inferred.several is None and self._call.is_generator):
            return "each item produces any number of examples"
        return items * self._settings.num_epochs

    def _refuse_iterator(self, what: str) -> None:
        given = f"a {type(self._call.source).__name__}"
        raise error(QueueCompatValueError, "QC604", what=what, given=given)

    def _bar(self, cursor: Cursor) -> Any:
        from queuecompat.loader.progress import bar

        examples = self._examples_a_pass()
        return bar(examples if isinstance(examples, int) else None, cursor.drawn)


def _buffer(seed: int, number: int, cursor: Cursor, depth: int) -> ShuffleBuffer[Example]:
    return ShuffleBuffer(
        depth,
        functools.partial(randomness.pool_slots, seed, number),
        drain_order=functools.partial(randomness.drain_order, seed, number),
        serial=cursor.serial,
        drawn=cursor.drawn,
    )
