"""How much of a pipeline's work each stage is: the time for reading, parsing, decoding, the user's ops, and buffers.

Events of TensorFlow's profiler are nested within each thread. The time of an event, minus that of the events within it,
is assigned to the stage that the event belongs to.

Rule 1: Time in which a thread only waits (for a batch from a prefetch, for a call in another thread) is not assigned to
        any stage.
Rule 2: An op belongs to a pipeline if the pipeline's slices have an op of that name, since bodies keep the user's
        names. All others are the model's.
Rule 3: An unknown event belongs to the same stage as the event around it.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from queuecompat._analysis.origins import users_name
from queuecompat._plan import ir
from queuecompat.reporting.traces import Event

__all__ = [
    "BATCH",
    "DECODE",
    "KINDS",
    "ON_BATCHES",
    "ON_ELEMENTS",
    "PARSE",
    "READ",
    "SHUFFLE",
    "Ops",
    "Stage",
    "Work",
    "ops_of",
    "stages_of",
    "work_of",
]

READ, PARSE, DECODE = "read", "parse", "decode"
ON_ELEMENTS, ON_BATCHES = "your ops on elements", "your ops on batches"
SHUFFLE, BATCH = "shuffle", "copy into batches"
# In the order of a pipeline.
KINDS = (READ, PARSE, DECODE, ON_ELEMENTS, SHUFFLE, BATCH, ON_BATCHES)

# Kinds of work that TensorFlow's op types alone reveal; the patterns are of op types.
_WORK = (
    (READ, re.compile(r"ReadFile|ReaderRead\w*|MatchingFiles")),
    (PARSE, re.compile(r"Parse\w+|DecodeCSV|DecodeRaw|DecodePaddedRaw|DecodeJSONExample|DecodeProtoV2|StringToNumber")),
    (DECODE, re.compile(r"Decode\w+|ExtractJpegShape")),
)
# Ops that wait for other threads.
_WAITING_OP = re.compile(r"Queue\w+|Reader\w+|IteratorGetNext\w*|Stage|Unstage|Barrier\w+|\w*PartitionedCall")
# The work that iterators of datasets do themselves, by the last part of their name. All others wait, or count.
_ITERATORS = {
    **dict.fromkeys(("FixedLengthRecord", "FlatMap", "TFRecord", "TextLine"), READ),
    **dict.fromkeys(("ParallelBatch", "Batch", "GroupByWindow", "PaddedBatch"), BATCH),
    "Shuffle": SHUFFLE,
}
_ITERATOR = re.compile(r"^(?:Iterator|ReduceIterator)::")
_OP = re.compile(r"^(?P<name>[\w./\\>-]+):(?P<type>[\w>]+)$")
# Internal events of function calls: their own time is the cost of a call, or a wait.
_CALLS = (
    "Executor",
    "FunctionRun",
    "InstantiatedCapturedFunction",
    "SessionRun",
    "ParallelMap",
    "Prefetch",
    "KernelAnd",
)
_EXECUTOR = "ExecutorState::Process"
# The suffix that TensorFlow's graph optimiser adds to the names of ops.
_ADDED = re.compile(r"_\d+$")
# The dataset that a step becomes, for those steps that distinguish plans from each other.
_DATASETS = {ir.Batch: "Batch", ir.Bucket: "GroupByWindow", ir.Shuffle: "Shuffle", ir.Prefetch: "Prefetch"}


@dataclasses.dataclass(frozen=True)
class Stage:
    """What one stage did during the recordings.

    Attributes:
      kind: one of ``KINDS``.
      seconds: its time in seconds, for processing and reading.
      seconds_each: its seconds for one batch; None: not known, because no batch was delivered during a recording.
      op: the type of the op that took most of the time; empty: there is none.
      op_name, op_seconds: the name of that op, and its time.
      made_at: the user's line of that op.
    """

    kind: str
    seconds: float
    op: str = ""
    op_name: str = ""
    op_seconds: float = 0.0
    made_at: str = ""
    seconds_each: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Ops:
    """The ops of one pipeline.

    Attributes:
      kinds: the kind of stage of each op by its name, for ops whose type does not reveal it.
      shapes: what distinguishes its iterators from those of other pipelines: the names of their datasets, from the last
        on.
    """

    kinds: Mapping[str, str]
    shapes: Sequence[Tuple[str, ...]]

    def kind(self, name: str) -> Optional[str]:
        """Returns the kind of the op that the profiler calls *name*; None if it is not an op of the pipeline."""
        known = self.own_name(name)
        return None if known is None else self.kinds[known]

    def own_name(self, name: str) -> Optional[str]:
        """Returns the user's name of the op that the profiler calls *name*; None if the pipeline has no such op."""
        if name in self.kinds:
            return name
        shorter = users_name(name)
        if shorter == name:
            shorter = _ADDED.sub("", name)
        return shorter if shorter in self.kinds else None


# Picoseconds by the kind of work, and the type and name of the op.
Work = Dict[Tuple[str, str, str], int]


def ops_of(plans: Iterable[ir.Plan]) -> Ops:
    """Returns the ops of a pipeline that is lowered to *plans*: its own, and those of streams that it draws from."""
    plans = list(plans)
    runs = [step for plan in plans for step in ir.all_steps(plan) if isinstance(step, ir.Run)]
    kinds = {name: ON_BATCHES if run.batched else ON_ELEMENTS for run in runs for name in run.body.op_names}
    return Ops(kinds, [_shape_of(plan) for plan in plans])


def _shape_of(plan: ir.Plan) -> Tuple[str, ...]:
    """Returns the datasets of *plan* that other plans may not have, from the last one on."""
    return tuple(_DATASETS[type(step)] for step in reversed(plan.steps) if type(step) in _DATASETS)


def work_of(threads: Iterable[Sequence[Event]], pipelines: Sequence[Ops]) -> List[Work]:
    """Returns the work of each of *pipelines* in *threads*; iterators that may belong to several are shared."""
    found: List[Work] = [{} for _ in pipelines]
    for events in threads:
        for kinds, duration in _own_times(events, pipelines):
            for number, key in kinds:
                found[number][key] = found[number].get(key, 0) + duration // len(kinds)
    return found


def stages_of(work: Work, counted: Optional[Work] = None, batches: float = 0.0) -> List[Stage]:
    """Divides *work* by stages, in the order of a pipeline.

    Args:
      counted: the part of *work* that was done for *batches* batches.
    """
    stages = []
    for kind in KINDS:
        parts = {key[1:]: time for key, time in work.items() if key[0] == kind}
        ops = {key: time for key, time in parts.items() if key[0]}
        (op, name), most = max(ops.items(), key=lambda item: item[1]) if ops else (("", ""), 0)
        if parts:
            for_batches = sum(time for key, time in (counted or {}).items() if key[0] == kind) / 1e12
            each = for_batches / batches if batches else None
            stages.append(Stage(kind, sum(parts.values()) / 1e12, op, name, most / 1e12, seconds_each=each))
    return stages


# The pipelines, by number, that an event belongs to, each with the kind, op type and op name.
_Owners = List[Tuple[int, Tuple[str, str, str]]]


class _Open:
    """An event that has begun, and the total time of the events directly within it."""

    def __init__(self, event: Event, owners: _Owners) -> None:
        self.event, self.owners, self.inner = event, owners, 0


def _own_times(events: Sequence[Event], pipelines: Sequence[Ops]) -> Iterable[Tuple[_Owners, int]]:
    """Yields, for each event of one thread, its owners and its time without the events within it."""
    around: List[_Open] = []
    done: List[_Open] = []
    owners: Dict[str, Optional[_Owners]] = {}
    for event in events:
        while around and around[-1].event.end <= event.begin:
            done.append(around.pop())
        if event.name not in owners:
            owners[event.name] = _owners(event.name, pipelines)
        own = owners[event.name]
        if own is None:
            own = around[-1].owners if around else []
        one = _Open(event, own)
        if around:
            around[-1].inner += event.end - event.begin
            # The call of a function belongs to the stage of the function's first op.
            if around[-1].event.name == _EXECUTOR and not around[-1].owners:
                around[-1].owners = [(number, (key[0], "", "")) for number, key in own]
        around.append(one)
    for one in [*done, *around]:
        if one.owners:
            yield one.owners, max(0, one.event.end - one.event.begin - one.inner)


def _owners(name: str, pipelines: Sequence[Ops]) -> Optional[_Owners]:
    """Returns the owners of an event with this *name*; None if it belongs to those of the event around it."""
    if _ITERATOR.match(name):
        return _iterators_owners(name, pipelines)
    if name.startswith(_CALLS):
        return []
    op = _OP.match(name)
    if op is None:
        return None
    found: _Owners = []
    for number, pipeline in enumerate(pipelines):
        own = pipeline.own_name(op["name"])
        if own is not None and not _WAITING_OP.fullmatch(op["type"]):
            found.append((number, (_kind(op["type"]) or pipeline.kinds[own], op["type"], own)))
    return found


def _kind(op_type: str) -> Optional[str]:
    return next((kind for kind, pattern in _WORK if pattern.fullmatch(op_type)), None)


def _iterators_owners(name: str, pipelines: Sequence[Ops]) -> _Owners:
    datasets = [re.sub(r"(\[\d+\]|#.*|V\d+(?=$|\[|#))", "", part) for part in name.split("::")]
    kind = _ITERATORS.get(datasets[-1])
    if kind is None:
        return []
    owners = [n for n, one in enumerate(pipelines) if any(_matches_beginning(shape, datasets) for shape in one.shapes)]
    return [(number, (kind, "", "")) for number in owners or range(len(pipelines))]


def _matches_beginning(shape: Sequence[str], datasets: Sequence[str]) -> bool:
    """Whether an iterator of *datasets* may belong to a pipeline of that *shape*: it matches the shape's beginning."""
    watched: Set[str] = set(_DATASETS.values())
    own = [one for one in datasets if one in watched]
    return list(shape[: len(own)]) == own
