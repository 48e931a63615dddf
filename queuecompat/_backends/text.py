"""Plan -> text: what ``queuecompat.explain()`` shows of a pipeline, and what messages say about it."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Hashable, Iterator, List, Optional, Tuple, Type, Union

from queuecompat._plan import ir
from queuecompat.plurals import counted

__all__ = [
    "chosen",
    "counted_shuffles",
    "describe",
    "element_bytes",
    "filling",
    "form",
    "held",
    "in_bytes",
    "lines",
    "may_stall",
    "native_streams",
    "sources",
]

_NAME = re.compile("'[^']*'")


def lines(plan: ir.Plan, indent: str = "  ") -> List[str]:
    """One line per step, numbered; the branches of a step are indented below it, equal ones as one."""
    text = []
    # Steps that only count are left out: they mean nothing to a reader of the plan.
    for number, step in enumerate(step for step in plan.steps if not isinstance(step, ir.Count)):
        text.append(f"{indent}{number}  {describe(step)}")
        text.extend(f"{indent}     once a file: {describe(one)}" for one in getattr(step, "inner", ()))
        if isinstance(step, (ir.Zip, ir.Merge, ir.Distribute)):
            for branch, inside, others in _folded(step):
                more = f", and {counted(others, 'more list')} with the same steps" if others else ""
                text.append(f"{indent}     from '{branch.name}', made at {branch.made_at}{more}")
                text.extend(f"{indent}       {line}" for line in inside)
    return text


def _folded(step: Union[ir.Zip, ir.Merge, ir.Distribute]) -> Iterator[Tuple[ir.Plan, List[str], int]]:
    """Each branch of *step*, with its lines and with the number of later lists that differ from it only in names.

    A join of many such lists is how TF1 programs used several threads.
    """
    forms = [(branch.made_at, form(branch)) for branch in step.branches]
    for number, (branch, its) in enumerate(zip(step.branches, forms)):
        if not isinstance(step, ir.Merge):
            yield branch, lines(branch, ""), 0
        elif its not in forms[:number]:
            yield branch, lines(branch, ""), forms.count(its) - 1


def form(plan: ir.Plan) -> Tuple[List[str], List[Optional[Hashable]]]:
    """Equal for plans that differ only in names, and perhaps in their Python functions."""
    bodies = [one.body for one in ir.all_steps(plan) if isinstance(one, (ir.Produce, ir.Run))]
    return [_NAME.sub("", line) for line in lines(plan)], [body.structural_hash() for body in bodies]


def describe(step: ir.Step) -> str:
    """One step in words and numbers."""
    return _WORDS[type(step)](step)


def held(plan: ir.Plan) -> Iterator[Tuple[str, int, Optional[int]]]:
    """Every buffer of *plan*: its description, the most elements in it, and their size in bytes (None: unknown).

    Bytes are those of the tensors' contents; they are unknown for strings and for unknown dimensions.
    """
    batch_size = 1
    for before, step in zip((None, *plan.steps), plan.steps):
        if isinstance(step, (ir.Zip, ir.Merge)):
            for branch in step.branches:
                yield from held(branch)
            if isinstance(step, ir.Merge):
                yield "being merged", step.held, _times(step.held, element_bytes(step.components))
        elif isinstance(step, ir.Cache):
            calls = sum(one.parallel_calls for one in step.inner if isinstance(one, ir.Run))
            yield (
                "on the way into the cache",
                step.rows + calls,
                _times(step.rows + calls, element_bytes(step.components)),
            )
        elif isinstance(step, ir.Shuffle):
            yield "shuffle buffer", step.buffer, _times(step.buffer, element_bytes(step.components))
        elif isinstance(step, ir.Run) and step.parallel_calls > 1:
            yield (
                "being processed",
                step.parallel_calls * (batch_size if step.batched else rows_of(plan, step)),
                _times(step.parallel_calls, element_bytes(step.components)),
            )
        elif isinstance(step, ir.Batch):
            batch_size = step.size
            if step.refills and isinstance(before, ir.Run) and before.skip is None:
                yield "being filled up", step.size, _batch_bytes(step.components, step.size)
        elif isinstance(step, ir.Bucket):
            batch_size = max(step.sizes)
            yield "in buckets", step.held, _times(step.held, element_bytes(_rows(step.components)))
        elif isinstance(step, ir.Prefetch):
            one = _batch_bytes(step.components, batch_size) if step.batched else element_bytes(step.components)
            yield "prefetched and in flight", step.count * batch_size, _times(step.count, one)


def sources(plan: ir.Plan) -> Iterator[str]:
    """What *plan* may be waiting for, in words: what it draws from, and ops of the program that may wait themselves."""
    first = plan.steps[0]
    runs = [step for step in plan.steps if isinstance(step, ir.Run)]
    effects = [run.body for run in runs if run.body.keeps_its_order and not run.draws]
    drawn = list(dict.fromkeys(draw.stage for run in runs for draw in run.draws))
    choices = list(chosen(plan))
    for stage in drawn:
        yield _element_from(stage)
    if isinstance(first, (ir.Zip, ir.Merge)):
        yield from dict.fromkeys(words for branch in first.branches for words in sources(branch))
    elif isinstance(first, ir.Distribute):
        yield (
            f"the workers of the tf.data service at {first.service} (are its dispatcher and a worker running, and can "
            "they read the data? 'queuecompat serve' starts them)"
        )
    elif isinstance(first, ir.Pull) and first.is_native:
        yield _element_from(first.stage)
    elif isinstance(first, ir.Pull):
        yield f"the stream of '{first.stage}', which other consumers share"
    elif any(isinstance(step, (ir.Cache, ir.Read)) for step in plan.steps):
        files = first.stage if isinstance(first, ir.Produce) else plan.name
        yield f"the next record of a file of '{files}', which is slow to open or to read"
    elif not effects and not drawn and not choices:
        yield f"'{plan.name}' itself: its ops take that long"
    yield from choices
    for body in effects:
        yield f"your {body.describe()} before '{plan.name}', which may be waiting for something"


def draws_from_stream(plan: ir.Plan) -> bool:
    """Whether *plan* begins with a stream that other plans may share."""
    first = plan.steps[0]
    return isinstance(first, ir.Pull) and not first.is_native


def counted_shuffles(plan: ir.Plan) -> Iterator[Tuple[ir.Shuffle, ir.Count]]:
    """The shuffle buffers of *plan* that are counted, each with the step that counts the elements that enter it."""
    for before, step in zip(plan.steps, plan.steps[1:]):
        if isinstance(before, ir.Count) and isinstance(step, ir.Shuffle):
            yield step, before
    for step in plan.steps[:1]:
        for branch in getattr(step, "branches", ()):
            yield from counted_shuffles(branch)


def filling(shuffle: ir.Shuffle, count: int) -> str:
    """What is missing in a shuffle buffer that *count* elements have entered, and what would fill it sooner."""
    size = "capacity" if shuffle.growth is None else "min_after_dequeue"
    return (
        f"its shuffle buffer, which is filling: {count:,} of {shuffle.needed:,} elements have come in (a smaller "
        f"{size}, cheaper ops or a larger num_threads would shorten that)"
    )


def chosen(plan: ir.Plan) -> Iterator[str]:
    """What *plan* selects from its elements, in words: it may wait forever if nothing is ever selected."""
    if any(isinstance(step, ir.Filter) for step in plan.steps):
        yield "an element that is kept (keep_input may be false for all)"
    if any(isinstance(step, ir.Unbatch) for step in plan.steps):
        yield "a row (with enqueue_many, tensors may have none)"


def _element_from(stage: str) -> str:
    return (
        f"an element from '{stage}', which the program fills itself (is its QueueRunner started, is its thread still "
        "running?)"
    )


def native_streams(plan: ir.Plan) -> Iterator[str]:
    """The keys of the queues, readers and iterators of the program that *plan* draws from."""
    return (step.stream for step in ir.all_steps(plan) if isinstance(step, ir.Pull) and step.is_native)


def may_stall(plan: ir.Plan) -> bool:
    """Whether *plan* may wait forever: for the program's own queue, its Python functions, or a data service."""
    effects = any(isinstance(step, ir.Run) and step.body.keeps_its_order for step in plan.steps)
    is_remote = isinstance(plan.steps[0], ir.Distribute)
    return effects or is_remote or any(True for _ in native_streams(plan))


def rows_of(plan: ir.Plan, run: ir.Run) -> int:
    """How many elements of the queue one call of *run* outputs: more than one if its output is unbatched afterwards."""
    after = [step for step in plan.steps[plan.steps.index(run) + 1 :] if not isinstance(step, ir.Filter)]
    if after and isinstance(after[0], ir.Unbatch):
        return ir.static_rows(run.components) or 1
    return 1


def specs(components: ir.Components) -> str:
    """``float32[32,28,28,1], int32[32]``; an unknown dimension is ``?``."""
    return ", ".join(_spec(spec) for spec in components)


def _spec(spec: Any) -> str:
    if spec.shape.rank is None:
        return f"{spec.dtype.name}[...]"
    return f"{spec.dtype.name}[{','.join('?' if n is None else str(n) for n in spec.shape.as_list())}]"


def element_bytes(components: ir.Components) -> Optional[int]:
    """The size of one element's contents in bytes; None if it depends on the data."""
    total = 0
    for spec in components:
        count = spec.shape.num_elements()
        if count is None or spec.dtype.name in ("string", "variant"):
            return None
        total += count * spec.dtype.size
    return total


def in_bytes(size: Optional[int]) -> str:
    """*size*, a number of bytes, in words; None: not known."""
    if size is None:
        return "bytes depend on the data"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return counted(size, "byte")


def _batch_bytes(components: ir.Components, size: int) -> Optional[int]:
    """The size of a full batch in bytes, even if its first dimension is unknown because the last may be smaller."""
    return _times(size, element_bytes(_rows(components)))


def _rows(components: ir.Components) -> ir.Components:
    """The specs of one element of a batch."""
    return tuple(type(spec)(spec.shape[1:], spec.dtype) if spec.shape.rank else spec for spec in components)


def _times(count: int, size: Optional[int]) -> Optional[int]:
    return None if size is None else count * size


def _produce(step: ir.Produce) -> str:
    spec = step.components[0]
    epochs = "forever" if step.num_epochs is None else counted(step.num_epochs, "epoch")
    order = "in order" if step.seeds is None else "reshuffled every epoch"
    if step.seeds is not None and step.seeds[1]:
        order += f" (seed {step.seeds[1]})"
    if step.blocks is not None and step.blocks.is_global:
        order = f"blocks of at most {counted(step.blocks.size, 'record')}, in a random order over all files every epoch"
    if step.part is not None:
        order += f"; part {step.part.number} of {step.part.count}"
    order += ", whole epochs" if step.is_whole else ""
    return f"produce   {_spec(spec)}  {epochs}, {order}"


def _run(step: ir.Run) -> str:
    how = f"{step.parallel_calls} in parallel" if step.parallel_calls > 1 else "one by one"
    if step.batched:
        how = f"on whole batches, {how}" if step.parallel_calls > 1 else "on whole batches"
    if step.body.is_empty:
        return f"choose    components {', '.join(str(use) for use in step.uses)}"
    if step.draws:
        stages = ", ".join(f"'{draw.stage}'" for draw in step.draws)
        return f"draw      from {stages}, together with {step.body.describe()}, {how} -> {specs(step.components)}"
    remark = f"; {step.remark}" if step.remark else ""
    remark += "; random numbers by index" if step.by_index else ""
    remark += "; skips what it fails on" if step.skip is not None else ""
    return f"map       {step.body.describe()}, {how} -> {specs(step.components)}{remark}"


def _merge(step: ir.Merge) -> str:
    order = "which take turns" if step.in_turn else "the next element from any of them"
    return f"merge     {len(step.branches)} lists, {order}"


def _distribute(step: ir.Distribute) -> str:
    how = "each row of the source to one of them" if step.is_split else "each for itself"
    job = "" if step.job is None else f", job '{step.job}'"
    return f"fetch     from the workers of the tf.data service at {step.service}{job}, {how}"


def _queue(step: ir.Queue) -> str:
    if step.min_after_dequeue is None:
        return f"queue     capacity {step.capacity}, first in first out"
    return f"queue     capacity {step.capacity}, random, min_after_dequeue {step.min_after_dequeue}"


def _read(step: ir.Read) -> str:
    layout = step.layout
    options = [layout.compression] if layout.compression else []
    sizes = ("skip_header_lines", "record_bytes", "header_bytes", "footer_bytes", "hop_bytes")
    options += [f"{name} {getattr(layout, name)}" for name in sizes if getattr(layout, name)]
    if step.up_to is not None:
        options.append(f"up to {counted(step.up_to, 'record')} of a file per read")
    if step.with_key:
        options.append("with keys")
    if step.open_blocks > 1:
        each = f", {step.in_turn} records of each in turn" if step.in_turn > 1 else ""
        options.append(f"{step.open_blocks} blocks at once{each}")
    if step.skips:
        options.append("skips what cannot be read")
    return " ".join([f"read      {layout.name}", ", ".join(options)]).rstrip()


def _batch(step: ir.Batch) -> str:
    tail = "last partial batch dropped" if step.drop_remainder else "last batch may be smaller"
    if step.refills:
        return f"batch     of {step.size}, rebatched, {tail}"
    return f"batch     of {step.size}, {'padded, ' if step.padded else ''}{tail}"


def _bucket(step: ir.Bucket) -> str:
    sizes = ", ".join(str(size) for size in (step.sizes if len(set(step.sizes)) > 1 else step.sizes[:1]))
    tail = "partial batches dropped at the end" if step.drop_remainder else "smaller batches at the end"
    return (
        f"bucket    {counted(len(step.sizes), 'bucket')}, batches of {sizes}, {'padded, ' if step.padded else ''}{tail}"
    )


def _cache(step: ir.Cache) -> str:
    where = "in memory" if step.where == "ram" else f"in {step.where}"
    return f"cache     {where}, file by file -> {specs(step.components)}"


def _shuffle(step: ir.Shuffle) -> str:
    if step.by_windows:
        return f"shuffle   windows of {step.buffer} of {specs(step.components)}, each by its number"
    pool = f"shuffle   buffer of {step.buffer} of {specs(step.components)}"
    return pool if step.growth is None else f"{pool}, begins with {step.growth.least} and grows"


_WORDS: Dict[Type[ir.Step], Callable[[Any], str]] = {
    ir.Batch: _batch,
    ir.Bucket: _bucket,
    ir.Cache: _cache,
    ir.Count: lambda step: "count     elements, for the summary of the queue size",
    ir.Distribute: _distribute,
    ir.Filter: lambda step: "filter    by keep_input",
    ir.Merge: _merge,
    ir.Endless: lambda step: "clock     no input stage: your ops run repeatedly",
    ir.Prefetch: lambda step: (
        f"prefetch  {counted(step.count, 'batch', 'batches') if step.batched else counted(step.count, 'element')}"
    ),
    ir.Produce: _produce,
    ir.Pull: lambda step: (
        f"draw      from '{step.stage}', which TensorFlow runs itself"
        if step.is_native
        else f"share     the stream of '{step.stage}', which also has other consumers"
    ),
    ir.Queue: _queue,
    ir.Read: _read,
    ir.Run: _run,
    ir.Shuffle: _shuffle,
    ir.Unbatch: lambda step: "unbatch   rows one by one (enqueue_many)",
    ir.Zip: lambda step: f"zip       {len(step.branches)} stages, one element of each",
}
