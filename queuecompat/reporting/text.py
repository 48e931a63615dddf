"""A report as text."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Union

from queuecompat import processors
from queuecompat._plan.skipped import SkipLog, described
from queuecompat.plurals import counted
from queuecompat.reporting.figures import SINGULAR, Native, Pipeline, duration
from queuecompat.reporting.stages import Stage

__all__ = ["NOTHING_BUILT", "delivered", "held", "most_expensive", "render", "stages", "title", "unmeasured", "work"]

# Batches are counted in sessions, at the end of a pipeline.
NOTHING_BUILT = (
    "no input pipeline was built in a graph since the report began; datasets of as_dataset, and queues that the "
    "program fills itself, are not measured"
)


def render(pipelines: Sequence[Union[Pipeline, Native]], logs: Sequence[SkipLog] = ()) -> str:
    """Returns all *pipelines*, several lines for each, and what the *logs* of skipped data say."""
    lines = [line for one in pipelines for line in (_lines(one) if isinstance(one, Pipeline) else _native(one))]
    left_out = [f"  {line}" for line in described(logs)]
    return "\n".join(["queuecompat: report on the input pipelines", *(lines or [f"  {NOTHING_BUILT}"]), *left_out])


def title(one: Union[Pipeline, Native]) -> str:
    """Says whether the pipeline was compiled, and where it was made."""
    kind = "compiled to tf.data" if isinstance(one, Pipeline) else "native (on TensorFlow's own queues)"
    return f"'{one.name}': {kind}, made at {one.made_at}"


def amount(one: Pipeline) -> str:
    """Says how much it delivered: in its unit and, if that is not batches, also in batches."""
    words = counted(one.stats.count, SINGULAR[one.unit], one.unit)
    if one.batches in (None, one.stats.count):
        return words
    return f"{words} in {counted(one.batches, SINGULAR['batches'], 'batches')}"


def delivered(one: Pipeline) -> str:
    """Says how much it delivered, how soon and how fast, and how long the loop waited."""
    stats = one.stats
    seconds = max(stats.seconds, 1e-9)
    rates = f"{stats.count / seconds:,.0f} {one.unit} a second"
    if one.batches not in (None, stats.count):
        rates += f" ({one.batches / seconds:,.1f} batches)"
    start = f"{amount(one)}, the first after {stats.first:.2f} s; then {rates}"
    return f"{start}; the training loop waited {stats.waited:.1f} s of {stats.seconds:.1f} s ({one.share_waited:.0%})"


def unmeasured(one: Pipeline) -> str:
    """Says how much an unmeasured pipeline delivered, and why there are no further figures."""
    if not one.stats.count:
        nothing = "delivered nothing" + (" to the TensorFlow queues that it feeds" if one.feeds_queue else "")
        return f"{nothing}: {one.why_nothing}" if one.why_nothing else nothing
    if one.feeds_queue:
        return f"{amount(one)}, delivered to TensorFlow's own queues"
    return f"{amount(one)}, in too short a time to measure the speed"


def _lines(one: Pipeline) -> Iterator[str]:
    yield f"  {title(one)}"
    if not one.is_measured:
        yield f"    {unmeasured(one)}"
    else:
        yield f"    {delivered(one)}"
        yield f"    {one.verdict}: {one.advice}"
        yield from stages(one)
        yield from (f"    {words}" for words in held(one))


def stages(one: Pipeline) -> Iterator[str]:
    """Yields how its work is divided among its stages, one line each."""
    if not one.stages:
        return
    yield f"    {work(one)}:"
    width = max(len(stage.kind) for stage in one.stages)
    for stage in one.stages:
        line = f"      {stage.kind:<{width}} {one.share(stage):5.0%}"
        if stage.seconds_each is not None:
            line += f"  {duration(stage.seconds_each):>7}"
        yield f"{line}   {most_expensive(stage)}" if stage.op else line


def work(one: Pipeline) -> str:
    """The heading for the table of stages."""
    each = ""
    if one.seconds_each is not None:
        each = f", {duration(one.seconds_each)} a{'n' if one.answer[0] == 'e' else ''} {one.answer}"
    return f"its work, on {one.cores:.1f} of {processors.usable()} cores{each}, by stages"


def most_expensive(stage: Stage) -> str:
    """Names the most expensive op in *stage*, and its line."""
    return ", ".join(words for words in (stage.op, stage.made_at) if words)


def held(one: Pipeline) -> Iterator[str]:
    """Yields how full the buffers of its queues were, one line each."""
    for name, capacity in one.capacities.items():
        counts = [look.held[name] for look in one.looks if name in look.held]
        if counts and capacity > 0:
            mean = f"{sum(counts) / len(counts):,.0f} of {capacity:,} elements on average"
            yield f"the buffers of '{name}' held {mean}, at least {min(counts):,}"


def _native(one: Native) -> List[str]:
    return [f"  {title(one)}", *("    " + line for line in one.reason.splitlines())]
