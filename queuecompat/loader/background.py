"""``BackgroundLoader``: batches of NumPy arrays, loaded by threads or processes while the model computes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
import os
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, calling_line, error
from queuecompat.loader.arguments import Arguments
from queuecompat.loader.batch_arguments import BatchSteps
from queuecompat.loader.batches import Batches
from queuecompat.loader.calls import Call
from queuecompat.loader.extent import Extent
from queuecompat.loader.failures import LoaderClosedError, Skipped, Tolerance
from queuecompat.loader.metrics.statistics import Counters, Statistics
from queuecompat.loader.metrics.timeline import Timeline
from queuecompat.loader.outputs import Convert
from queuecompat.loader.place import Place
from queuecompat.loader.positions import Position
from queuecompat.loader.run.epoch_ends import EpochEnds
from queuecompat.loader.run.epoch_run import EpochRun, require_process
from queuecompat.loader.run.work import InferredSpec
from queuecompat.loader.runs import new_run
from queuecompat.loader.settings import Settings, count_of, refuse
from queuecompat.loader.stream.examples import Cursor
from queuecompat.loader.workers.pools import Pools
from queuecompat.plurals import counted, type_of

if TYPE_CHECKING:
    import tensorflow as tf

__all__ = ["BackgroundLoader"]


class BackgroundLoader:
    """Loads examples in the background and returns them in batches of NumPy arrays::

        with queuecompat.BackgroundLoader(paths, load, batch_size=64, shuffle=True) as loader:
            for epoch in range(10):
                for images in loader:
                    train(images)

    One ``for`` loop is one pass over the data: *num_epochs* epochs. The next ``for`` loop is the next pass, with a new
    order and new random numbers. The content of a batch is a function of the arguments and the seed: it never depends
    on the number or the kind of workers, or on which of them was faster.

    Args:
      source: a sequence of any Python objects, whose items the workers fetch by index, several at a time; or an
        iterable, whose items are fetched one after another. An iterator (a generator, say) lasts for one epoch.
        For pandas data, pass ``series.to_numpy()`` or ``frame.to_dict("records")``; for arrays with a row per example,
        such as images and labels, ``range(len(images))``, and let ``load`` take the rows.
      load: ``load(item)`` or ``load(item, rng)``, called by the workers. *rng* is a ``numpy.random.Generator`` for
        this item alone, a function of (seed, epoch, index of the item). ``load`` returns an array, a number or any
        nesting of dicts (or other mappings, which are returned as dicts), lists, tuples and named tuples of them, with
        the same structure for each item; text and other objects are allowed, and are returned in arrays of objects. A
        generator function (or any function that returns an iterator) produces any number of examples per item, each of
        which counts. A parameter named ``out`` receives the example's own row of the batch, in the structure that
        ``load`` returns, or None while that row is not known yet; an array that ``load`` wrote there and returns is not
        copied again. If *load* is None, the items are the examples.
      batch_size: examples per batch.
      capacity: the maximum number of examples that are being loaded, or are loaded and waiting. Memory is bounded by
        these, the batch being assembled and the batch that the consumer holds. Default: *min_after_dequeue* plus three
        batches; with this default at least two examples per worker may be loaded ahead, and at least 64 examples if
        each item produces one example of up to 1 KiB.
      min_after_dequeue: with *shuffle*, the minimum number of examples in the shuffle buffer from which the next one is
        drawn, until the data runs out. Must be less than *capacity*.
      num_workers: the number of threads or processes. Default: one for each core that this process may use, but at most
        8 threads.
      workers: "threads", which share Python's global lock and suit decoders that release it (Pillow, OpenCV,
        NumPy); or "processes", for work in Python itself: *source* and *load* are pickled, and examples are passed
        through shared memory. Each pass starts new processes, but a ``with`` block keeps them for the next pass.
      worker_init: called in each worker with the worker's number, from 0, before the worker loads anything: to open a
        connection, or to limit the threads of a library. Called once per pass in a thread, and once in the lifetime of
        a process. A pass does not end before all workers have called it.
      shuffle: reads a sequence in a new random order each epoch; passes the items of an iterable, not yet loaded,
        through a shuffle buffer of *capacity* items. If items produce several examples, these also go through a
        shuffle buffer, so that the examples of one item are spread over different batches. Its size is what the batches
        leave of *capacity*, but at least *min_after_dequeue*.
      sampler: the indices of each epoch, instead of *shuffle*; for sequences only. Either an iterable, which is
        iterated again each epoch (after a call of its ``set_epoch(epoch)``, if it has that method); or a function
        ``sampler(epoch, rng)`` that returns an iterable, where *rng* depends on the seed and the epoch alone. For an
        exact resume, an iterable has to return the same indices for the same epoch.
      weights: draws the items of a sequence at random: float ``[items]``, not negative. An item of weight 2 is drawn
        twice as often as one of weight 1. ``queuecompat.loader.balanced_weights(labels)`` draws all classes equally
        often.
      replacement: with *weights*, whether an item may be drawn several times in an epoch. Each draw has its own random
        numbers.
      draws: with *weights*, the number of items per epoch. Default: ``len(source)``; without replacement, the number of
        items with a weight above 0.
      shard: ``(index, count)``: the part of each epoch for one of several hosts, every *count*-th item. With the same
        seed and arguments on all hosts, the shards are disjoint and together are the whole epoch, and an item has the
        same random numbers in any shard. Shard lengths differ by at most one item. *batch_size* and *capacity* are per
        host.
      num_epochs: epochs per pass; None repeats forever. A batch may hold the end of one epoch and the start of the
        next.
      on_epoch_end: called with the number of each epoch that has ended, on the thread of the loop, when the loop asks
        for the batch after the epoch's last: to validate, to save (``state_dict()`` resumes with the next epoch), or to
        change the learning rate. If a shuffle buffer mixes epochs, it is called as soon as a batch begins with an
        example of a later epoch.
      seed: the seed of all random numbers. None draws a seed, which ``repr`` shows.
      drop_remainder: drops the last batch of a pass if it is not full.
      examples_per_item: the number of examples that each item produces. Keeps the examples of one item apart by a fixed
        rule, instead of a shuffle buffer: the second example of an item is delayed by *batch_size* items, the third by
        twice as many, and so on. If a pass has at least *batch_size* items, no batch has two examples of one item. With
        ``k = examples_per_item``, ``batch_size * k * (k - 1) / 2`` examples wait meanwhile, in addition to *capacity*.
      pad_to: pads arrays of different shapes to this shape, in which None is the largest size in the batch: ``(None,)``
        for texts of any length, ``(None, 80)`` for up to 80 columns. If examples are dicts or tuples, the same nesting
        with a shape, or None for no padding, for each array; keys may be left out. An item with a larger array fails.
      pad_value: the value to pad with, after the array's own values: a number, or a nesting of numbers.
      bucket_by: ``bucket_by(example)`` returns a number, such as the example's length, that selects its bucket. A batch
        has examples of one bucket only, in the order in which they arrived; this needs memory for one more batch per
        bucket. Examples of one item are then not spread by a shuffle buffer. On resume, everything since the oldest
        example that waits in a bucket is loaded again.
      bucket_boundaries: the ascending numbers between the buckets: [10, 20] makes "below 10", "10 to below 20" and
        "20 or more".
      collate: makes the batch: ``collate(examples)`` gets the list of what ``load`` returned, of any types and shapes;
        arrays in it are copies.
      batch_transform: changes the batch: ``batch_transform(batch)`` or ``batch_transform(batch, rng)``, with random
        numbers for this batch alone. It may write into the arrays. *collate* and *batch_transform* are called on
        threads of this process, even with ``workers="processes"``.
      output: "numpy"; "torch" or "tensorflow", whose tensors share the batch's memory without a copy (except for text,
        which PyTorch gets as NumPy arrays, and for batches of at most 512 bytes in TensorFlow); or a function that
        converts each array, such as ``jax.dlpack.from_dlpack``.
      pin_memory: with ``output="torch"``: writes batches into pinned memory, from which a GPU copies while the program
        goes on: ``batch.to("cuda", non_blocking=True)``, after which the batch itself may be dropped. Without a GPU it
        warns (QC645) and uses ordinary memory.
      copy: True: each batch stays valid for as long as the program holds it. False: only until the next batch is
        requested, which may use the same memory. Batches made by *collate*, *batch_transform* or *pad_to* stay valid
        either way.
      on_error: "raise"; or "skip", which skips the items on which ``load`` fails, and lists them in ``skipped``.
      max_errors: with "skip", the maximum number of different items that may fail. None: any number.
      timeout: the maximum number of seconds that the consumer waits for a batch; after that an error names the items
        that are being loaded. None waits forever, with one warning (QC633) per pass after a minute.
      progress: shows a progress bar on standard error, in examples.

    Raises:
      QueueCompatValueError: QC601, an argument is out of range, or contradicts another; QC604, several epochs of an
        iterator.
      QueueCompatTypeError: QC601, the source is a string, a mapping, a set, a pandas object, or not iterable.

    Iteration raises ``LoadError``, with the item and the worker's traceback, either after all batches before that item
    (QC603, QC605 to QC609, QC620, QC635, QC637) or at once (QC611 to QC613, QC615: a worker process ended; QC643:
    *worker_init* failed; QC632: *timeout* expired); ``QueueCompatValueError`` (QC636: *sampler* returned a wrong
    index); ``LoaderClosedError`` (QC602); ``QueueCompatTypeError`` (QC610: *source* or *load* cannot be pickled).

    The workers end with the pass, with ``break``, with an exception in the loop, or with the ``with`` block.

    Differs from TF1's queues: the shuffle buffer is kept at its capacity, so it mixes better than a TF1 queue, whose
    size may fall to *min_after_dequeue*; a sequence is shuffled as a whole.
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
        worker_init: Optional[Callable[[int], Any]] = None,
        shuffle: bool = False,
        sampler: Union[Iterable[int], Callable[..., Iterable[int]], None] = None,
        weights: Optional[Sequence[float]] = None,
        replacement: bool = True,
        draws: Optional[int] = None,
        shard: Optional[Tuple[int, int]] = None,
        num_epochs: Optional[int] = 1,
        on_epoch_end: Optional[Callable[[int], Any]] = None,
        seed: Optional[int] = None,
        drop_remainder: bool = False,
        examples_per_item: Optional[int] = None,
        pad_to: Any = None,
        pad_value: Any = 0,
        bucket_by: Optional[Callable[[Any], float]] = None,
        bucket_boundaries: Optional[Sequence[float]] = None,
        collate: Optional[Callable[[List[Any]], Any]] = None,
        batch_transform: Optional[Callable[..., Any]] = None,
        output: Union[str, Callable[[Any], Any]] = "numpy",
        pin_memory: bool = False,
        copy: bool = True,
        on_error: str = "raise",
        max_errors: Optional[int] = None,
        timeout: Optional[float] = None,
        progress: bool = False,
    ) -> None:
        arguments = Arguments.checked(
            source,
            load,
            batch_size=batch_size,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            num_workers=num_workers,
            workers=workers,
            worker_init=worker_init,
            shuffle=shuffle,
            sampler=sampler,
            weights=weights,
            replacement=replacement,
            draws=draws,
            shard=shard,
            num_epochs=num_epochs,
            on_epoch_end=on_epoch_end,
            seed=seed,
            drop_remainder=drop_remainder,
            examples_per_item=examples_per_item,
            pad_to=pad_to,
            pad_value=pad_value,
            bucket_by=bucket_by,
            bucket_boundaries=bucket_boundaries,
            collate=collate,
            batch_transform=batch_transform,
            output=output,
            pin_memory=pin_memory,
            copy=copy,
            on_error=on_error,
            max_errors=max_errors,
            timeout=timeout,
            progress=progress,
            made_at=calling_line(),
        )
        self._set_up(arguments, Position.at_start_of(0, arguments.settings.num_epochs))

    def _set_up(self, arguments: Arguments, position: Position) -> None:
        self._extent = Extent(arguments, InferredSpec())
        chosen = arguments.settings
        self._tolerance = Tolerance(chosen.on_error, chosen.max_errors, chosen.made_at)
        self._counters = Counters()
        self._run: Optional[EpochRun] = None
        self._place = Place(position)
        self._is_used_up = False
        self._is_closed = False
        self._is_in_block = False
        self._process: Optional[int] = None  # id of the process that started workers; None before the first pass
        self._pools = Pools(self)

    def __getstate__(self) -> Dict[str, Any]:
        """A copy (``pickle``, ``copy``) has the same source, arguments and seed, and goes on from the same position."""
        self._check_process()
        return {"arguments": self._extent.arguments, "position": self._place.position}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._set_up(**state)

    def __iter__(self) -> Batches:
        """Begins the next pass. Closes the current pass if it is still running."""
        chosen = self._settings
        return self._begin(stays_valid=chosen.copy, shows_progress=chosen.progress, convert=self._steps.convert)

    def __len__(self) -> int:
        """Returns the number of batches per pass, provided that no item is skipped.

        Raises:
          QueueCompatTypeError: QC619, the length is unknown or infinite.
        """
        self._check_process()
        return self._extent.batches_a_pass()

    def __repr__(self) -> str:
        items, call, chosen = self._extent.items(), self._call, self._settings
        parts = [
            counted(items, "item") if items is not None else type_of(call.source),
            f"load={getattr(call.load, '__qualname__', repr(call.load))}",
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
        """Ends all workers, and waits for them. Does nothing when called again, or in a forked process."""
        self._is_closed = True
        if self._run is not None:
            self._run.close()
        self._pools.close()

    def as_dataset(self) -> tf.data.Dataset:
        """Returns the same batches as a ``tf.data.Dataset``; each iterator over it begins the next pass.

        Keras accepts it unchanged: ``model.fit(loader.as_dataset(), epochs=10)``. The first examples are loaded by this
        call, one per worker, to learn their structure, shapes and dtypes. Lists become tuples, and text becomes string
        tensors. The cardinality is known if ``len`` is known and ``on_error="raise"``. Errors of ``load`` are raised as
        TensorFlow errors that contain their text.

        Raises:
          LoadError, LoaderClosedError: as in an iteration.
          QueueCompatTypeError: QC618, ``load`` returns something that cannot be a tensor; QC619, there is no example.
          QueueCompatValueError: QC604, the source is an iterator.
        """
        self._check_process()
        from queuecompat.loader import tensors

        if isinstance(self._call.source, Iterator):
            self._refuse_iterator("as_dataset")
        endless = self._settings.num_epochs is None
        rows = self._settings.batch_size if self._settings.drop_remainder or endless else None
        if self._steps.finishing(0, 0) is None:
            self._learn_spec()
            assert self._inferred.spec is not None
            specs = tensors.specs_of_examples(self._inferred.spec, self._inferred.objects, rows)
        else:
            specs = tensors.specs_of_batch(self._first_batch(), self._settings.batch_size, rows, self._steps)
        # Only now is it certain whether items produce several examples.
        known = self._settings.on_error == "raise" and not self._steps.buckets
        known = known and isinstance(self._extent.examples_a_pass(), int)
        return tensors.dataset(
            functools.partial(self._begin, stays_valid=True, shows_progress=self._settings.progress),
            specs,
            count=-1 if endless else len(self) if known else None,
        )

    def state_dict(self) -> Dict[str, Any]:
        """Returns the position after the last batch that was returned: a small dictionary that JSON can hold.

        After ``load_state_dict``, a loader with the same source and arguments goes on from there, even in the middle of
        an epoch, with exactly the batches that would have followed. With ``as_dataset`` the position is ahead of
        the model by the batches that TensorFlow has prefetched.
        """
        self._check_process()
        return self._place.position.as_state(self._settings, self._extent.kind())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pass begin at the position in *state*, with the seed in *state*.

        An iterable is read again from the beginning of the epoch. If items produce several examples, the items whose
        examples may still be in the shuffle buffer are loaded again.

        Raises:
          QueueCompatValueError: QC617, the state does not match this loader.
        """
        self._check_process()
        position = Position.of_state(state, self._settings, self._extent.kind())
        self._move_to(position, operator.index(state["seed"]))

    @property
    def epoch(self) -> int:
        """The epoch of the batch that was returned last; before the first and after the last batch of a pass, the epoch
        with which the next pass begins. If a shuffle buffer mixes epochs, the oldest epoch that is not complete.

        Setting it ends the current iteration, if any. The next pass then begins with that epoch, its order and its
        random numbers. With several epochs per pass, it must be a multiple of *num_epochs*.

        Raises:
          QueueCompatValueError: QC601, the value is negative, not a whole number, or not a multiple of *num_epochs*.
        """
        self._check_process()
        return self._place.position.cursor.epoch

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self._check_process()
        whole, each = count_of("epoch", epoch, least=0), self._settings.num_epochs or 1
        if whole % each:
            refuse("epoch", epoch, f"a multiple of num_epochs={each}, since a pass begins there")
        self._move_to(Position.at_start_of(whole // each, self._settings.num_epochs), self._settings.seed)

    def _move_to(self, position: Position, seed: int) -> None:
        """Ends the current pass; the next one begins at *position*, with *seed*."""
        if self._run is not None:
            self._run.close()
        self._pools.close()
        self._extent = dataclasses.replace(self._extent, arguments=self._extent.arguments.with_seed(seed))
        self._place.move_to(position)

    @property
    def skipped(self) -> List[Skipped]:
        """The items that were skipped (``on_error="skip"``), each listed once, in the order of their first failures."""
        self._check_process()
        return list(self._tolerance.skipped.values())

    def statistics(self) -> Statistics:
        """Returns what the loader has done so far, over all passes, with a verdict: whether model or workers wait."""
        self._check_process()
        return self._counters.report(
            fill=self._run.fill if self._run is not None else 0,
            skipped=self._tolerance.count,
            workers=self._settings.num_workers,
            capacity=self._most_examples(),
        )

    def _most_examples(self) -> int:
        return self._settings.most_examples(are_small=self._inferred.is_small and not self._inferred.several)

    def timeline(self) -> Timeline:
        """Returns what workers, buffer and consumer did over time: the last few thousand events, over all passes.

        ``loader.timeline().save("timeline.png")`` draws it, with matplotlib.
        """
        self._check_process()
        return self._counters.timeline(self._most_examples())

    # The arguments.

    @property
    def _settings(self) -> Settings:
        return self._extent.arguments.settings

    @property
    def _steps(self) -> BatchSteps:
        return self._extent.arguments.steps

    @property
    def _call(self) -> Call:
        return self._extent.arguments.call

    @property
    def _inferred(self) -> InferredSpec:
        return self._extent.inferred

    # Passes.

    def _begin(self, *, stays_valid: bool, shows_progress: bool, convert: Optional[Convert] = None) -> Batches:
        """Starts the next pass.

        Args:
          stays_valid: whether batches stay valid as long as the program holds them, as in ``Block.batch``.
          shows_progress: whether a progress bar is shown.
          convert: converts each array for the output library, or None.
        """
        if self._is_closed:
            raise error(LoaderClosedError, "QC602", what="loader", how="was closed")
        self._check_process()
        self._process = os.getpid()
        if isinstance(self._call.source, Iterator) and self._is_used_up:
            self._refuse_iterator("another iteration")
        if self._run is not None:
            self._run.refuse_own_worker()
            self._run.close("ended when the next iteration of its loader began")
        self._is_used_up = True
        position = self._place.of_next_pass
        pool = self._pools.next(self._call, self._settings, keeps=self._is_in_block, allocated=self._steps.allocated)
        self._run = new_run(self._extent, position, pool, self._tolerance, self._counters)
        self._place.begin(self._run, self._settings.num_epochs)
        closers = [self._run.close, *self._pools.closers_of(pool)]
        progress_bar = self._bar(position.cursor) if shows_progress else None
        batches = Batches(
            self,
            self._run,
            closers,
            stays_valid=stays_valid,
            progress_bar=progress_bar,
            convert=convert,
            epochs=self._epoch_ends(position),
        )
        try:
            self._run.start()
        except BaseException:
            batches.close()
            raise
        return batches

    def _epoch_ends(self, position: Position) -> Optional[EpochEnds]:
        tell, each = self._extent.arguments.on_epoch_end, self._settings.num_epochs
        if tell is None:
            return None
        end = None if each is None else (position.number + 1) * each
        return EpochEnds(tell, position.cursor.epoch, end)

    def came_to_end(self, run: EpochRun) -> None:
        """Called when the consumer of *run* has received all batches: the next pass begins after it."""
        if run is self._run:
            self._place.move_to(self._place.of_next_pass)

    def _check_process(self) -> None:
        require_process(self._process)

    def _first_batch(self) -> Any:
        """Returns the first batch of the next pass, without consuming it: the next pass begins with it again."""
        before = self._place.of_next_pass
        with contextlib.closing(self._begin(stays_valid=True, shows_progress=False)) as batches:
            batch = next(batches, None)
        self._place.move_to(before)
        if batch is None:
            raise error(QueueCompatTypeError, "QC619", what="form of a batch", why="there is no batch")
        return batch

    def _learn_spec(self) -> None:
        """Runs a pass up to its first example, if the spec of examples is not known yet. Leaves the position as it is.

        Raises:
          QueueCompatTypeError: QC619, no item produced an example.
        """
        if self._inferred.spec is None:
            before = self._place.of_next_pass
            with contextlib.closing(self._begin(stays_valid=True, shows_progress=False)):
                assert self._run is not None
                is_known = self._run.wait_for_spec()
            self._place.move_to(before)
            if not is_known:
                raise error(QueueCompatTypeError, "QC619", what="form of an example", why="no item produced an example")

    def _refuse_iterator(self, what: str) -> None:
        given = type_of(self._call.source)
        raise error(QueueCompatValueError, "QC604", what=what, given=given)

    def _bar(self, cursor: Cursor) -> Any:
        from queuecompat.loader.metrics.progress import bar

        examples = self._extent.examples_a_pass()
        return bar(examples if isinstance(examples, int) else None, cursor.drawn)
