"""The plan: what stands between a source and a terminal, as a frozen list of steps.

Rule 1: a plan is a straight line. Its first step makes elements, every later one takes them from
        the step before. Where several pipelines meet, the first step is ``Zip`` (an element of
        each) or ``Merge`` (an element of whichever has one), and holds them.
Rule 2: a step says what comes out of it (``components``); an element is a flat tuple of tensors.
Rule 3: a plan is valid before and after every pass; ``validate`` says what is not.
Rule 4: no session, no TensorFlow op is made here. A ``Body`` is opaque (``bodies``): the passes ask it only
        about its effects.
Rule 5: a plan is data. What lives in a graph or a session (streams, counters, gates, drawn seeds) it
        names, by the key of a stage or by a number; the back end that lowers it looks the names up
        (``resources.Resources``).

``Queue`` is TF1's queue as captured; the passes replace it by ``Shuffle`` and ``Prefetch``, which
is all that lowering knows.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from queuecompat._plan.bodies import Body, Components
from queuecompat._plan.options import DEFAULTS, Options

__all__ = [
    "EVENTS",
    "Batch",
    "Blocks",
    "Bucket",
    "Cache",
    "Components",
    "Count",
    "Distribute",
    "Endless",
    "Entrance",
    "FileLayout",
    "Filter",
    "Growth",
    "Merge",
    "Part",
    "Plan",
    "Prefetch",
    "Produce",
    "Pull",
    "Queue",
    "Read",
    "Run",
    "Shuffle",
    "Skip",
    "Step",
    "Unbatch",
    "Zip",
    "all_steps",
    "are_computed",
    "mapped",
    "static_rows",
    "validate",
]

Seeds = Tuple[Optional[int], Optional[int]]


@dataclasses.dataclass(frozen=True)
class Step:
    """One step; *components* are the specs of what it outputs."""

    components: Components


@dataclasses.dataclass(frozen=True)
class Blocks:
    """How files are cut into blocks of consecutive records, which a producer of names outputs in place of the names.

    *layout*: how the files are cut into records. *size*: records of a block; 0: all that follow each other in a file.
    *is_global*: blocks are in a random order over all files, a different one in every epoch, and *size* is the most
    that one has: there are fewer where the data are few or the records large (``records.blocks``). *together*: so many
    are read at once, a record of each in turn, and come as one string.
    """

    layout: FileLayout
    size: int = 0
    is_global: bool = False
    together: int = 1


@dataclasses.dataclass(frozen=True)
class Part:
    """The part of that *number* of the *count* equal parts that the data are divided into."""

    number: int
    count: int


@dataclasses.dataclass(frozen=True)
class Produce(Step):
    """Rows of one tensor, epoch after epoch. *seeds* None: in order; *num_epochs* None: forever.

    *rows*: of one epoch, where the graph knows how many there are.
    *start*: the number of the start that decides the orders of all epochs where no seed does; None: nothing does.
    *replayed*: a checkpoint holds the number of the epoch, and restoring one shuffles again up to it.
    *read_by*: the rows are files for this step, and an epoch without a record has to be an error.
    *queue*: the key of the stage; *is_counted*: its occupancy is told how many rows there are.
    *blocks*: the rows are names of files, and what comes out are blocks of their records; None: the rows themselves.
    *part*: only these rows come out, or only the blocks of these records; None: all.
    *is_split*: the rows are handed out to the workers of a service, *each* at most at once; see ``Distribute``.
    *is_whole*: an element is all rows of an epoch, from which a ``Batch`` that refills cuts its batches.
    *mixes_for*: the key of a queue whose shuffle buffer the orders of the epochs make needless; empty: of none.
    *numbered*: with each row comes the number that its random numbers follow from (``records.numbers``); blocks have
    those of their records in them.
    """

    body: Body
    num_epochs: Optional[int] = None
    seeds: Optional[Seeds] = None
    capacity: int = 32
    stage: str = ""
    rows: Optional[int] = None
    read_by: Optional[Read] = None
    start: Optional[int] = None
    replayed: bool = False
    queue: str = ""
    is_counted: bool = False
    blocks: Optional[Blocks] = None
    part: Optional[Part] = None
    is_split: bool = False
    each: int = 1
    is_whole: bool = False
    mixes_for: str = ""
    numbered: bool = False

    @property
    def total(self) -> Optional[int]:
        """The rows of all epochs, where there is such a number that the graph knows."""
        return None if self.num_epochs is None or self.rows is None else self.rows * self.num_epochs

    @property
    def is_seeded(self) -> bool:
        """Whether the user fixed the orders of the epochs."""
        return self.seeds is not None and self.seeds != (None, None)


@dataclasses.dataclass(frozen=True)
class Endless(Step):
    """Elements without content, forever: the clock of a slice that hangs on no stage."""


@dataclasses.dataclass(frozen=True)
class Entrance:
    """The *number*th way through the gate of a session that a plan has, for the stream of that name."""

    stream: str
    number: int


@dataclasses.dataclass(frozen=True)
class Pull(Step):
    """Takes from the stream of a stage, which lives outside this plan and has other consumers.

    *stream*: the key of the stage; *stage*: its name.
    *is_native*: it is a queue, a reader or an iterator that TensorFlow runs itself.
    *is_computed*: its elements are results of the user's ops, not rows, records or names as they were stored.
    *is_op*: what draws is an op of the program's own graph, so that a slice may contain it.
    *is_own*: what comes in comes from the program's own queues, directly or not, and may be long in coming.
    *entrance*: where it goes through the gate of its session; None: through none.
    *has_numbers*: with each element comes a number (``Produce.numbered``), which is passed on if *numbered*.
    """

    stream: str
    stage: str
    is_native: bool = False
    is_computed: bool = False
    is_op: bool = False
    is_own: bool = False
    entrance: Optional[Entrance] = None
    has_numbers: bool = False
    numbered: bool = False


@dataclasses.dataclass(frozen=True)
class Zip(Step):
    """One element of each branch, side by side; ends with the first branch that ends.

    *numbered*: each branch outputs a number last (``Produce.numbered``), and one that follows from all of them comes
    after the elements.
    """

    branches: Tuple[Plan, ...]
    numbered: bool = False


@dataclasses.dataclass(frozen=True)
class Merge(Step):
    """An element of whichever branch has one; each branch in its own order. Ends with the last branch.

    *ahead*: how many elements of each branch may lie ready, besides the one in hand.
    *in_turn*: one of each branch after the other instead, so that it comes out the same every time.
    """

    branches: Tuple[Plan, ...]
    ahead: int = 1
    in_turn: bool = False

    @property
    def held(self) -> int:
        """The most elements between the branches and who takes them."""
        return (1 + self.ahead) * len(self.branches)


@dataclasses.dataclass(frozen=True)
class Distribute(Step):
    """The elements of its one branch, which the workers of tf.data's service compute; each comes from any of them.

    *service*: the address of the dispatcher, ``grpc://host:port``. *job*: processes that name the same one share the
    elements; None: this one has them all. *is_split*: each row of the branch's source goes to one worker; if not, every
    worker computes what its source outputs forever.
    """

    branches: Tuple[Plan, ...]
    service: str = ""
    job: Optional[str] = None
    is_split: bool = True


@dataclasses.dataclass(frozen=True)
class Read(Step):
    """Records of the named files, file after file. Outputs (key, value), or (value) without key.

    *layout*: how a file is cut into records. *up_to* None: record by record; otherwise vectors of at most
    so many records of one file. *open_blocks*: what comes in are not names but blocks (``Produce.blocks``), so many
    together; 0: names.
    *skips*: of a file that cannot be read to its end the rest is left out, and listed. *checks_ends*: a file that ends
    within the head of a record is an error, after its records. *numbered*: as in ``Produce``; what comes in are blocks,
    or names and beside each the number of the file.
    """

    layout: FileLayout
    with_key: bool
    up_to: Optional[int] = None
    open_blocks: int = 0
    skips: bool = False
    checks_ends: bool = False
    numbered: bool = False

    def without_key(self) -> Read:
        """The same that outputs (value)."""
        return dataclasses.replace(self, components=self.components[-1:], with_key=False)


@dataclasses.dataclass(frozen=True)
class FileLayout:
    """*name* is that of TF1's reader, without "Reader"; sizes are in bytes, *hop_bytes* 0: no gap.

    *record_bytes* 0: records differ in size.
    """

    name: str
    compression: str = ""
    skip_header_lines: int = 0
    record_bytes: int = 0
    header_bytes: int = 0
    footer_bytes: int = 0
    hop_bytes: int = 0


@dataclasses.dataclass(frozen=True)
class Skip:
    """What happens to an element that a ``Run`` fails on: it is left out, and listed.

    *place*: the number of the component that says where the element was read; None: none does.
    *by_rows*: an element is many records, of which only those are left out that fail alone; *alone*: the slice for one
    of them; None: the same with a single row.
    """

    place: Optional[int] = None
    by_rows: bool = False
    alone: Optional[Run] = None


@dataclasses.dataclass(frozen=True)
class Run(Step):
    """The user's slice, on the components *uses* of each element (or each batch: *batched*).

    *draws*: what it takes itself, in the same step, from queues of the program; *entrance*: as in ``Pull``.
    *remark*: how much of it runs on whole batches, for ``explain``.
    *alone*: of a form for batches, the slice that it was made from; *skip* None: what fails ends the step.
    *by_number*: its random numbers are a function of the start of the number *start* and of the number of the call,
    which the body has as one input more.
    *by_index*: they are a function of the last of *uses*, a record's number. *carries*: the last component that comes
    in, such a number, is also the last one that comes out.
    """

    body: Body
    uses: Tuple[int, ...]
    parallel_calls: int = 1
    ordered: bool = True
    batched: bool = False
    draws: Tuple[Pull, ...] = ()
    entrance: Optional[Entrance] = None
    remark: str = ""
    alone: Optional[Run] = None
    skip: Optional[Skip] = None
    by_number: bool = False
    start: Optional[int] = None
    by_index: bool = False
    carries: bool = False


@dataclasses.dataclass(frozen=True)
class Cache(Step):
    """What *inner* outputs for each element, kept: the same file is read, and its elements are made, once.

    *inner* are steps on one element of which component *file* names a file (or a block of one); what comes out is a
    function of that file alone. *beside*: one element comes out for each that comes in, which comes first in it.
    *where*: "ram", or a folder; *most_bytes*: the most that is kept, None: a share of what is free. *key*: equal for
    what computes the same, in other processes as well. *rows*: the most elements that are kept and fetched at once;
    *inner* may output batches of so many. *numbered*: as in ``Read``, which is the first of *inner* then; with *beside*
    the number comes in, last. What is kept are elements without their numbers.
    """

    inner: Tuple[Step, ...]
    file: int = 0
    beside: bool = False
    where: str = "ram"
    most_bytes: Optional[int] = None
    key: str = ""
    rows: int = 1
    numbered: bool = False

    @property
    def makes_batches(self) -> bool:
        """Whether *inner* outputs batches."""
        return isinstance(self.inner[-1], Run) and self.inner[-1].batched

    def with_inner(self, change: Callable[[Any], Step]) -> Cache:
        """The same with *change* of each of the steps that it holds."""
        return dataclasses.replace(self, inner=tuple(map(change, self.inner)))


@dataclasses.dataclass(frozen=True)
class Filter(Step):
    """Keeps the elements whose last component is true, and drops that component (TF1's ``keep_input``)."""


@dataclasses.dataclass(frozen=True)
class Unbatch(Step):
    """Each element is cut along its first dimension (TF1's ``enqueue_many``)."""

    @property
    def may_be_empty(self) -> bool:
        """Whether a row may come out that has no numbers in it."""
        return not all(spec.shape.num_elements() for spec in self.components)


@dataclasses.dataclass(frozen=True)
class Queue(Step):
    """TF1's queue as the user asked for it. *min_after_dequeue* None: first in, first out.

    *queue*: the key of its stage, which the buffers that take its place keep.
    """

    capacity: int
    min_after_dequeue: Optional[int] = None
    seed: Optional[int] = None
    num_threads: int = 1
    queue: str = ""


# What an element does when it is counted: it comes into a queue, leaves it, or is what the program itself draws.
EVENTS = ("entered", "left", "delivered")


@dataclasses.dataclass(frozen=True)
class Count(Step):
    """Passes everything on and counts how many elements came by: rows, after a Batch (*batched*).

    *queue*: the key of the stage whose elements are counted; *event*: what they do, one of ``EVENTS``.
    *every*: with more than 1 it counts ahead, so many elements at a time.
    *room*: counted besides each time, of a queue that has this capacity and counts as full.
    *is_gated*: what is counted goes through the gate of its session; *is_timed*: the time of the count is kept.
    """

    queue: str
    event: str
    batched: bool
    every: int = 1
    room: int = 0
    is_gated: bool = False
    is_timed: bool = False


@dataclasses.dataclass(frozen=True)
class Growth:
    """How a shuffle buffer begins before it is full: it keeps *least* elements, and draws from one more.

    It grows when the first *steady* elements have been drawn. *own*: the keys of queues and readers of the program,
    where what comes in comes from; while there is nothing in them it outputs what it has, down to *least*.
    """

    least: int
    steady: int
    own: Tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Shuffle(Step):
    """A pool of *buffer* elements from which one is drawn at random.

    *start*: the number of the start that decides where *seed* does not. *queue*: the key of the stage it mixes for.
    *growth* None: the first one is drawn when the pool is full.
    *by_windows*: every *buffer* consecutive elements are a window, which is mixed as a whole; in what order is a
    function of the seed or start and of the number of the window.
    """

    buffer: int
    seed: Optional[int] = None
    growth: Optional[Growth] = None
    queue: str = ""
    start: Optional[int] = None
    by_windows: bool = False

    @property
    def needed(self) -> int:
        """How many elements come in before the first ones that the consumer waits for go out."""
        return self.buffer if self.growth is None else self.growth.least + self.growth.steady

    def sized(self, buffer: int) -> Shuffle:
        """The same with *buffer* elements, and without growth where there is no room for it."""
        growth = self.growth if self.growth is not None and self.growth.least + 1 < buffer else None
        return dataclasses.replace(self, buffer=buffer, growth=growth)


@dataclasses.dataclass(frozen=True)
class Batch(Step):
    """*size* elements stacked; *padded*: each first grown to the largest of its batch.

    *refills*: the elements come as rows already, of any number: batches that have lost some, or whole epochs.
    """

    size: int
    drop_remainder: bool = True
    padded: bool = False
    refills: bool = False


@dataclasses.dataclass(frozen=True)
class Bucket(Step):
    """Batches of elements that belong together: the last component of an element is the number of its bucket.

    Outputs the number, and the other components of *sizes[number]* elements stacked (*padded* as in ``Batch``);
    an element whose number is no bucket's is dropped. At the end the buckets give what they hold, in their
    order, or nothing (*drop_remainder*). *capacity*: batches ahead of the consumer, TF1's queue of batches; *queue*:
    the key of its stage.
    """

    sizes: Tuple[int, ...]
    drop_remainder: bool
    padded: bool
    capacity: int
    queue: str = ""

    @property
    def held(self) -> int:
        """The most elements that wait for the rest of their batch."""
        return sum(size - 1 for size in self.sizes) + 1


@dataclasses.dataclass(frozen=True)
class Prefetch(Step):
    """Up to *count* elements made ahead of the consumer: batches (*batched*), or what a queue outputs one by one.

    *queue*: the key of the stage whose queue it takes the place of.
    """

    count: int
    batched: bool = True
    queue: str = ""


# Rows of one call, of which each is cheap: parsed records take a few us, a call tens.
MANY_ROWS = 32

_SOURCES = (Produce, Endless, Pull, Zip, Merge, Distribute)


@dataclasses.dataclass(frozen=True)
class Plan:
    """All the steps of one terminal.

    *is_preview*: no training data, only a preview of what passes (see ``explain``).
    *options*: what the program chose beyond TF1's behaviour. *uncached*: why nothing is kept although it chose that;
    *unindexed*: why its random numbers are not those of records.
    *is_remote*: the workers of ``options.data_service`` compute it, as far as its first batch.
    """

    name: str
    made_at: str
    steps: Tuple[Step, ...]
    is_preview: bool = False
    options: Options = DEFAULTS
    uncached: str = ""
    unindexed: str = ""
    is_remote: bool = False

    @property
    def components(self) -> Components:
        return self.steps[-1].components

    def with_steps(self, steps: Tuple[Step, ...]) -> Plan:
        return dataclasses.replace(self, steps=tuple(steps))


def all_steps(plan: Plan) -> Iterator[Any]:
    """The steps of *plan*, of its branches and of a ``Cache``, and a ``Run``'s draws; each before its own."""
    for step in plan.steps:
        yield step
        yield from getattr(step, "draws", ())
        yield from getattr(step, "inner", ())
        for branch in getattr(step, "branches", ()):
            yield from all_steps(branch)


def are_computed(steps: Sequence[Step]) -> bool:
    """Whether each element of *steps* cost a call of the user's ops; not rows, records or names as they were stored."""
    cuts_rows = False
    for step in reversed(steps):
        if isinstance(step, Read):
            return False
        if isinstance(step, Run) and not step.body.is_empty and not (cuts_rows and _shares_its_cost(step)):
            return True
        if isinstance(step, Cache):
            return not step.makes_batches
        if isinstance(step, Pull):
            return step.is_computed
        if isinstance(step, (Zip, Merge)):
            return any(are_computed(branch.steps) for branch in step.branches)
        cuts_rows |= isinstance(step, Unbatch)
    return False


def _shares_its_cost(run: Run) -> bool:
    """Whether many rows come out of one call of *run*, of TensorFlow's ops alone (records parsed 64 at a time, say)."""
    rows = static_rows(run.components)
    return not run.body.keeps_its_order and not run.body.is_seeded and (rows is None or rows >= MANY_ROWS)


def mapped(plan: Plan, change: Callable[[Any], Step]) -> Plan:
    """*plan* with *change* of every step, those of its branches and of a ``Cache`` included."""
    steps = []
    for step in plan.steps:
        if isinstance(step, (Zip, Merge, Distribute)):
            step = dataclasses.replace(step, branches=tuple(mapped(branch, change) for branch in step.branches))
        elif isinstance(step, Cache):
            step = step.with_inner(change)
        steps.append(change(step))
    return plan.with_steps(tuple(steps))


def static_rows(components: Components) -> Optional[int]:
    """The first dimension, where the graph knows it."""
    known = [spec.shape.as_list()[0] for spec in components if spec.shape.rank]
    return next((rows for rows in known if rows is not None), None)


def validate(plan: Plan) -> Plan:
    """Returns *plan*; raises ValueError with the step's number where a rule is broken."""
    if not plan.steps:
        raise ValueError(f"plan '{plan.name}' has no steps")
    for number, step in enumerate(plan.steps):
        place = f"plan '{plan.name}', step {number} ({type(step).__name__})"
        if isinstance(step, _SOURCES) != (number == 0):
            raise ValueError(f"{place}: the first step, and only the first, makes elements")
        if isinstance(step, (Zip, Merge, Distribute)):
            for branch in step.branches:
                validate(branch)
        if isinstance(step, Run) and any(use not in range(len(plan.steps[number - 1].components)) for use in step.uses):
            raise ValueError(f"{place}: uses {step.uses}, but the step before outputs fewer components")
        if isinstance(step, Cache) and step.file not in range(len(plan.steps[number - 1].components)):
            raise ValueError(f"{place}: no component {step.file} names a file")
        if isinstance(step, (Count, Shuffle, Queue, Prefetch)) and step.components != plan.steps[number - 1].components:
            raise ValueError(f"{place}: a buffer outputs what it takes")
    return plan
