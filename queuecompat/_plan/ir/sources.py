"""The steps that make elements: rows, what other stages output, and where several pipelines meet."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.bodies import Body
from queuecompat._plan.ir.plan import Plan, Seeds, Step
from queuecompat._plan.ir.reading import Blocks, Part, Read

__all__ = ["SOURCES", "Distribute", "Endless", "Entrance", "Merge", "Produce", "Pull", "Zip"]


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
    *is_vector*: each element is a vector of the records of a file (``read_up_to``).
    *is_own*: what comes in comes from the program's own queues, directly or not, and may be long in coming.
    *entrance*: where it goes through the gate of its session; None: through none.
    *has_numbers*: with each element comes a number (``Produce.numbered``), which is passed on if *numbered*.
    """

    stream: str
    stage: str
    is_native: bool = False
    is_computed: bool = False
    is_vector: bool = False
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


SOURCES = (Produce, Endless, Pull, Zip, Merge, Distribute)
