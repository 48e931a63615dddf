"""Positions: where each step of a pipeline resumes when the program has received *n* elements (``checkpoint=True``).

Most steps derive the position of the step before them from their own (10 batches of 32 that a ``Batch`` has output
were 320 elements), back to the producer, which seeks to its position by counting rows or, in the index of records,
records. So restoring costs at most the elements of the largest shuffle window.

Rule 1: a step that cannot derive this is *replayed*: the plan up to and including this step is computed from the
        beginning, and the elements before the position are dropped. Later steps are not computed for these.
Rule 2: elements that were drawn from outside of the plan cannot be restored, because they are gone. Nor can a plan that
        fills a queue of TensorFlow's own, because it is not known which of its elements the program has taken.
Rule 3: a position is a Python number or a tensor, so only ``*``, ``//`` and ``%`` are applied to it.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Type

from queuecompat._plan import ir
from queuecompat.errors import RestartWarning, layout, warn_user

__all__ = ["Place", "fingerprint", "in_words", "lost", "places", "replayed", "warn_if_not_resumable"]


class Place(NamedTuple):
    """Where one step resumes.

    Attributes:
      begin: the number of the first element that the step makes; of a shuffle: the number of the first window.
      skipped: how many of the elements that it makes from there are dropped; None: none.
    """

    begin: Any
    skipped: Any = None


class _Way(NamedTuple):
    begin: Any
    skipped: Any
    upstream: Any


def places(steps: Sequence[ir.Step], position: Any) -> List[Place]:
    """Returns where each of *steps* resumes so that the last one goes on after *position* elements."""
    found = [Place(0)] * len(steps)
    for number in reversed(range(len(steps))):
        way = _WAYS[type(steps[number])](steps, number, position)
        if way is None:
            found[number] = Place(0, position)
            break
        found[number], position = Place(way.begin, way.skipped), way.upstream
    return found


def replayed(plan: ir.Plan) -> Optional[ir.Step]:
    """Returns the last step of *plan* that is replayed from the beginning; None: there is none."""
    for number, step in reversed(list(enumerate(plan.steps))):
        if _WAYS[type(step)](plan.steps, number, 0) is None:
            return step
        if isinstance(step, ir.Zip):
            return next((one for one in map(replayed, step.branches) if one is not None), None)
    return None


def lost(plan: ir.Plan, feeds_queue: bool = False) -> Optional[str]:
    """Returns why *plan* cannot be restored and always starts from the beginning; None: it can.

    Args:
      feeds_queue: whether its elements are enqueued into a queue of TensorFlow's own.
    """
    if feeds_queue:
        return "it fills a TensorFlow queue, and it is unknown which elements were taken from that"
    for step in ir.all_steps(plan):
        if isinstance(step, ir.Pull):
            outside = f"'{step.stage}', which the program fills itself" if step.is_native else None
            return f"it takes elements from {outside or _shared(step)}"
    return None


def in_words(plan: ir.Plan, feeds_queue: bool = False) -> str:
    """Describes how *plan* resumes after a restart, for ``explain``."""
    why = lost(plan, feeds_queue)
    if why is not None:
        return f"from the beginning: {why}"
    step = replayed(plan)
    return "at its position" if step is None else f"at its position, after computing elements again: {_why(step)}"


def warn_if_not_resumable(plan: ir.Plan, feeds_queue: bool = False) -> None:
    """Warns if *plan*, for which checkpoints were chosen, cannot be restored (QC350) or has to be replayed (QC353)."""
    why, step = lost(plan, feeds_queue), replayed(plan)
    if why is not None:
        warn_user(layout("QC350", plan.made_at, stage=plan.name, why=why), RestartWarning)
    elif step is not None:
        warn_user(layout("QC353", plan.made_at, stage=plan.name, why=_why(step)), RestartWarning)


def _why(step: ir.Step) -> str:
    """Returns why *step* has to be replayed."""
    if _leaves_out(step):
        return "with on_error='skip', what is left out is known only after it is computed"
    if isinstance(step, (ir.Produce, ir.Run)):
        state = "a seed, whose numbers depend on their order" if step.body.is_seeded else "a state"
        return f"ops of yours have {state}, or choose what comes next: {step.body.describe()}"
    if isinstance(step, ir.Read):
        return "its files cannot be read from the middle, or are read in vectors"
    return _REASONS.get(type(step), "the number of its elements depends on what they are")


def _leaves_out(step: ir.Step) -> bool:
    """Whether *step* skips what fails, or fills up batches that have lost records."""
    if isinstance(step, ir.Run):
        return step.skip is not None
    return step.skips if isinstance(step, ir.Read) else isinstance(step, ir.Batch) and step.refills


_REASONS: Dict[Type[ir.Step], str] = {
    ir.Bucket: "the bucket of an element is known only after it is computed",
    ir.Filter: "keep_input is known only after an element is computed",
    ir.Merge: "several lists of a join take turns until one ends",
}


def _shared(step: ir.Pull) -> str:
    return f"'{step.stage}', of which other consumers take elements, too"


def fingerprint(*plans: ir.Plan) -> int:
    """Returns a number that tells whether a position in a checkpoint belongs to *plans*; the same in every process."""
    return zlib.crc32("\n".join(fact for plan in plans for fact in _facts(plan)).encode())


def _facts(plan: ir.Plan) -> Iterator[str]:
    """Yields what decides which elements are in the n-th batch; nothing that differs between machines."""
    for step in ir.all_steps(plan):
        if isinstance(step, (ir.Batch, ir.Shuffle, ir.Unbatch, ir.Filter, ir.Bucket, ir.Read)):
            numbers = [getattr(step, name, None) for name in ("size", "buffer", "seed", "sizes", "layout")]
            yield f"{type(step).__name__} {numbers}"
        elif isinstance(step, ir.Produce):
            yield f"Produce {step.seeds} {step.blocks} {step.part}"


def _same(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    return _Way(position, None, position)


def _never(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    return None


def _batch(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    batch = steps[number]
    assert isinstance(batch, ir.Batch)
    return None if batch.refills else _Way(position, None, position * batch.size)


def _read(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    read, before = steps[number], steps[number - 1]
    assert isinstance(read, ir.Read)
    # A producer of blocks counts the records in them.
    counts = isinstance(before, ir.Produce) and before.blocks is not None
    is_counted = counts and read.open_blocks > 0 and read.up_to is None and not read.skips
    return _same(steps, number, position) if is_counted else None


def _run(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    run = steps[number]
    assert isinstance(run, ir.Run)
    has_history = run.body.keeps_its_order or run.body.is_seeded
    return None if has_history or run.draws or run.skip is not None else _same(steps, number, position)


def _shuffle(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    shuffle = steps[number]
    assert isinstance(shuffle, ir.Shuffle)
    if not shuffle.by_windows:
        return None
    window = position // shuffle.buffer
    return _Way(window, position % shuffle.buffer, window * shuffle.buffer)


def _produce(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    produce = steps[number]
    assert isinstance(produce, ir.Produce)
    # The number of rows may differ between epochs; they are counted epoch by epoch.
    has_history = produce.body.keeps_its_order or produce.body.is_random
    return None if has_history else _same(steps, number, position)


def _unbatch(steps: Sequence[ir.Step], number: int, position: Any) -> Optional[_Way]:
    rows = ir.static_rows(steps[number - 1].components)
    return None if rows is None else _Way(position, position % rows, position // rows) if rows else None


_WAYS: Dict[Type[ir.Step], Callable[[Sequence[ir.Step], int, Any], Optional[_Way]]] = {
    ir.Batch: _batch,
    ir.Bucket: _never,
    ir.Cache: _never,
    ir.Count: _same,
    ir.Distribute: _never,
    ir.Endless: _same,
    ir.Filter: _never,
    ir.Merge: _never,
    ir.Prefetch: _same,
    ir.Produce: _produce,
    ir.Pull: _never,
    ir.Queue: _same,
    ir.Read: _read,
    ir.Run: _run,
    ir.Shuffle: _shuffle,
    ir.Unbatch: _unbatch,
    ir.Zip: _same,
}
