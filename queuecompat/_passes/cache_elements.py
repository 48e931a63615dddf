"""cache_elements: with ``cache="ram"`` or a folder, caches what the pipeline makes of each file.

The cached part is all ops before the first one whose results may change (an op that draws random numbers, calls Python,
or reads a variable), and so before the shuffling. It is cached file by file, so that the order of the files in each
epoch, and with it that of the elements, stays the same. Casts and constant arithmetic that would enlarge the results
run after the cache.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import List, Optional, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import CacheSplit
from queuecompat.errors import CacheWarning, layout, warn_user

__all__ = ["FORMAT", "cache_elements", "warn_uncached"]

# The version of the format, a part of every key, so that folders never mix elements of different versions.
FORMAT = "1"
# The maximum number of elements that are stored or fetched by one call of Python, and their maximum size in bytes.
MOST_ROWS = 256
MOST_BYTES = 4 * 1024 * 1024
# The number of elements for one call if their size is unknown: a compromise for large and small ones.
ROWS_OF_ANY_SIZE = 32


def cache_elements(plan: ir.Plan) -> ir.Plan:
    """Replaces the steps that can be cached by an ``ir.Cache``.

    Leaves the plan unchanged for previews, with ``on_error="skip"`` or ``checkpoint=True``, and if no op has a result
    that can be cached; except for previews, ``Plan.uncached`` then states the reason.
    """
    if plan.options.cache is None or plan.is_preview:
        return plan
    first = plan.steps[0]
    place = next((n for n, step in enumerate(plan.steps) if n and not isinstance(step, (ir.Count, ir.Queue))), None)
    if place is None and not isinstance(first, (ir.Merge, ir.Zip)):
        return plan  # a source without ops, such as file names: there is nothing to cache
    if plan.options.on_error == "skip":
        return dataclasses.replace(plan, uncached="with on_error='skip', a bad element must fail in every epoch")
    if plan.options.checkpoint:
        return dataclasses.replace(plan, uncached="with checkpoint=True, reading may begin in the middle of a file")
    if isinstance(first, (ir.Merge, ir.Zip)):
        reasons = [branch.uncached for branch in first.branches if branch.uncached]
        if not reasons and not _has_cache(plan):
            reasons = ["an element is made of several files or rows"]
        return dataclasses.replace(plan, uncached=reasons[0] if reasons else "")
    assert place is not None
    if _has_cache(plan):
        return plan
    found = _cached_from(plan, place)
    if isinstance(found, str):
        return dataclasses.replace(plan, uncached=found)
    return plan.with_steps(tuple(found))


def warn_uncached(plan: ir.Plan) -> None:
    """Warns if a cache was chosen for *plan* but nothing is cached."""
    if plan.uncached:
        warn_user(layout("QC340", plan.made_at, stage=plan.name, why=plan.uncached), CacheWarning)


def _has_cache(plan: ir.Plan) -> bool:
    return any(isinstance(step, ir.Cache) for step in ir.all_steps(plan))


def _cached_from(plan: ir.Plan, place: int) -> Union[List[ir.Step], str]:
    """Returns the steps of *plan* with a cache in place of those from index *place* on; or why there is none.

    Args:
      place: the index of the first step after the source and its queues.
    """
    steps = list(plan.steps)
    first, second = steps[place], steps[place + 1] if place + 1 < len(steps) else None
    if isinstance(first, ir.Read):
        return _of_records(plan, place, first, second, steps)
    if not isinstance(first, ir.Run) or first.batched or first.draws:
        return "no op comes before the shuffling"
    if _waits(steps[:place]):
        return "its elements come from queues that the program fills itself"
    if not all(spec.shape.is_fully_defined() and spec.dtype != tf.variant for spec in steps[place - 1].components):
        return "what the names of files come with differs in shape"
    if first.body.only_reads_file:
        return _of_whole_files(plan, place, first, second, steps)
    return _of_one_slice(plan, place, first, steps)


def _of_records(
    plan: ir.Plan, place: int, read: ir.Read, run: Optional[ir.Step], steps: List[ir.Step]
) -> Union[List[ir.Step], str]:
    """Implements ``_cached_from`` for *read*, which reads records, and *run*, the step after it."""
    split = _split_after_read(run)
    if isinstance(split, str):
        return split
    assert isinstance(run, ir.Run)
    head = dataclasses.replace(run, components=split.between, body=split.head, uses=_chosen(run.uses, split.uses))
    cache = _cache(plan, split, (read, *_in_batches(head, read.components, _rows(split.between))))
    tail = () if split.is_whole else (dataclasses.replace(run, body=split.tail, uses=split.tail_uses),)
    return [*steps[:place], cache, *tail, *steps[place + 2 :]]


def _of_whole_files(
    plan: ir.Plan, place: int, read: ir.Run, run: Optional[ir.Step], steps: List[ir.Step]
) -> Union[List[ir.Step], str]:
    """Implements ``_cached_from`` for *read*, which reads whole files, and *run*, the step after it."""
    split, given = _split_after_read(run), steps[place - 1].components
    if isinstance(split, str):
        return split
    assert isinstance(run, ir.Run)
    head = dataclasses.replace(run, components=split.between, body=split.head, uses=_chosen(run.uses, split.uses))
    cache = _cache(plan, split, (read, head), read.uses[0], given)
    tail = dataclasses.replace(run, body=split.tail, uses=tuple(len(given) + use for use in split.tail_uses))
    return [*steps[:place], cache, tail, *steps[place + 2 :]]


def _split_after_read(run: Optional[ir.Step]) -> Union[CacheSplit, str]:
    if not isinstance(run, ir.Run) or run.batched or run.draws:
        return "only reading comes before the shuffling"
    return run.body.cache_split(after_read=True)


def _of_one_slice(plan: ir.Plan, place: int, run: ir.Run, steps: List[ir.Step]) -> Union[List[ir.Step], str]:
    """Implements ``_cached_from`` for *run*, at index *place*, which reads the files itself."""
    split = run.body.cache_split(after_read=False)
    if isinstance(split, str):
        return split
    given, inputs, file = steps[place - 1].components, run.uses, run.uses[split.uses[0]] if split.uses else 0
    names: Tuple[ir.Step, ...] = ()
    if split.name is not None:  # the step that makes the name outputs it before all of its inputs
        given = (tf.TensorSpec([], tf.string), *(given[use] for use in inputs))
        names = (dataclasses.replace(run, components=given, body=split.name, uses=_chosen(inputs, split.name_uses)),)
        inputs = tuple(range(1, len(given)))
    head = dataclasses.replace(run, components=split.between, body=split.head, uses=(file,))
    cache = _cache(plan, split, (head,), file, given)
    uses = tuple(len(given) + use if use >= 0 else inputs[-1 - use] for use in split.tail_uses)
    return [*steps[:place], *names, cache, dataclasses.replace(run, body=split.tail, uses=uses), *steps[place + 1 :]]


def _cache(
    plan: ir.Plan, split: CacheSplit, inner: Sequence[ir.Step], file: int = 0, beside: ir.Components = ()
) -> ir.Cache:
    """Returns the cache for the steps *inner*.

    Args:
      split: the split that the last of *inner* is the head of.
      file: the index of the input component that names the file.
      beside: the specs of the input components that are output before the results; empty: none are.
    """
    read = inner[0]
    how = repr(dataclasses.replace(read, components=())) if isinstance(read, ir.Read) else read.components
    words = (
        FORMAT,
        tf.__version__,
        split.key,
        how,
        split.between,
        [one.uses for one in inner if isinstance(one, ir.Run)],
        bool(beside),
    )
    chosen = plan.options
    return ir.Cache(
        (*beside, *split.between),
        tuple(inner),
        file,
        bool(beside),
        chosen.cache or "",
        chosen.cache_bytes,
        hashlib.sha256(repr(words).encode()).hexdigest(),
        min(_rows(split.between), ROWS_OF_ANY_SIZE) if beside else _rows(split.between),
    )


def _in_batches(head: ir.Run, given: ir.Components, rows: int) -> Tuple[ir.Step, ...]:
    """Returns *head* as steps on batches of *rows* elements, if it has a batched form; otherwise *head* itself."""
    form = head.body.in_batches([None] * len(head.uses))
    are_alike = all(spec.shape.is_fully_defined() for spec in (*given, *head.components))
    if form is None or form.head is not None or form.tail is None or not are_alike:
        return (head,)
    uses = _chosen(head.uses, form.uses)
    batch = ir.Batch(tuple(map(ir.rows_spec, given)), rows, drop_remainder=False)
    return batch, ir.Run(tuple(map(ir.rows_spec, head.components)), form.tail, uses, batched=True)


def _rows(components: ir.Components) -> int:
    """Returns how many elements with these *components* are stored and fetched at once."""
    sizes = [spec.shape.num_elements() if spec.dtype != tf.string else None for spec in components]
    if None in sizes:
        return ROWS_OF_ANY_SIZE
    size = sum((count or 0) * spec.dtype.size for count, spec in zip(sizes, components))
    return max(1, min(MOST_ROWS, MOST_BYTES // max(1, size)))


def _chosen(uses: Sequence[int], among: Sequence[int]) -> Tuple[int, ...]:
    return tuple(uses[use] for use in among)


def _waits(steps: Sequence[ir.Step]) -> bool:
    """Whether the program fills the sources of *steps* itself, perhaps slowly.

    A cache waits for several elements before it outputs the first.
    """
    draws = [step for step in ir.all_steps(ir.Plan("", "", tuple(steps))) if isinstance(step, ir.Pull)]
    return any(step.is_native or step.is_own for step in draws)
