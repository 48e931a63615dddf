"""The steps that are sources of elements: rows, elements of other stages, and joins of several pipelines."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.bodies import Body
from queuecompat._plan.ir.plan import Plan, Seeds, Step
from queuecompat._plan.ir.reading import Blocks, Part, Read

__all__ = ["SOURCES", "Distribute", "Endless", "Entrance", "Merge", "Produce", "Pull", "Zip"]


@dataclasses.dataclass(frozen=True)
class Produce(Step):
    """Outputs the rows of one tensor, epoch after epoch (TF1's ``input_producer``).

    Attributes:
      body: computes the tensor, once for each epoch.
      num_epochs: None: forever.
      seeds: TF1's two seeds of the shuffle of each epoch; None: the rows are in order; (None, None): they are shuffled
        without a seed.
      capacity: the capacity of TF1's queue, in elements.
      stage: the name of the stage.
      rows: how many rows an epoch has; None: the graph does not know.
      read_by: the step that reads the rows as files. An epoch without a single record is then an error; None: no such
        check.
      start: the number of the start (``starts``) that decides the orders of all epochs where no seed does; None: the
        orders differ for each iterator.
      replayed: whether a checkpoint holds the number of the epoch only, and restoring it repeats the shuffles of all
        epochs before that one.
      queue: the key of the stage.
      is_counted: whether the rows are counted in the occupancy of the stage's queue.
      blocks: how the rows, file names, are replaced by blocks of the files' records; None: they are not.
      part: the shard of the rows, or of the records in the blocks, that is output; None: all of them.
      is_split: whether the dispatcher of a tf.data service distributes the rows among the workers; see ``Distribute``.
      each: with *is_split*, the maximum number of rows that the dispatcher hands out at once.
      is_whole: whether an element is all rows of an epoch, which a ``Batch`` with ``refills`` cuts into batches.
      mixes_for: the key of the queue whose shuffle buffer was removed because the epochs are shuffled already; empty:
        there is none.
      numbered: whether each row is output with the number that its random numbers are derived from
        (``records.numbers``); blocks contain the numbers of their records.
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
        """The number of rows of all epochs together; None: it is infinite, or unknown to the graph."""
        return None if self.num_epochs is None or self.rows is None else self.rows * self.num_epochs

    @property
    def is_seeded(self) -> bool:
        """Whether the user fixed the orders of the epochs by a seed."""
        return self.seeds is not None and self.seeds != (None, None)


@dataclasses.dataclass(frozen=True)
class Endless(Step):
    """Outputs elements forever whose values do not matter: they trigger a slice that depends on no stage."""


@dataclasses.dataclass(frozen=True)
class Entrance:
    """Where draws of a plan pass through the gate of its session, which a stop shuts.

    Attributes:
      stream: the name of the stream that the plan is for.
      number: tells the entrances of one plan apart.
    """

    stream: str
    number: int


@dataclasses.dataclass(frozen=True)
class Pull(Step):
    """Draws elements from the stream of a stage, which exists outside of this plan and may have other consumers.

    Attributes:
      stream: the key of the stage.
      stage: the name of the stage.
      is_native: whether the stream is a queue, a reader or an iterator that TensorFlow runs itself.
      is_computed: whether the elements are results of the user's ops, rather than rows, records or names as stored.
      is_vector: whether each element is a vector of the records of a file (``read_up_to``).
      is_op: whether an op of the program's own graph draws the elements, so that a slice may contain it.
      is_own: whether the elements come, directly or not, from the program's own queues, and may be slow to arrive.
      entrance: where the draws pass through the gate of the session; None: there is no gate.
      has_numbers: whether the stream has a number with each element (``Produce.numbered``).
      numbered: whether that number is output, as the last component.
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
    """Joins one element of each branch into one; ends when any branch ends.

    Attributes:
      branches: the plans whose elements are joined.
      numbered: whether each branch outputs a number last (``Produce.numbered``). A number derived from all of them is
        then the last component of the output.
    """

    branches: Tuple[Plan, ...]
    numbered: bool = False


@dataclasses.dataclass(frozen=True)
class Merge(Step):
    """Outputs the elements of all branches as they become available, each branch in its own order.

    Ends when all branches have ended.

    Attributes:
      branches: the plans whose elements are merged.
      ahead: how many elements of each branch may be buffered, in addition to the one in progress.
      in_turn: whether the branches take turns instead, one element each, so that the order is deterministic.
    """

    branches: Tuple[Plan, ...]
    ahead: int = 1
    in_turn: bool = False

    @property
    def held(self) -> int:
        """The maximum number of elements held between the branches and the next step."""
        return (1 + self.ahead) * len(self.branches)


@dataclasses.dataclass(frozen=True)
class Distribute(Step):
    """Fetches the elements of its only branch from the workers of a tf.data service, which compute them.

    Attributes:
      branches: the one plan that the workers compute.
      service: the address of the dispatcher, ``grpc://host:port``.
      job: processes with the same job name share the elements; None: this process receives all of them.
      is_split: whether the dispatcher hands each row of the branch's source to one worker. Otherwise every worker
        computes the whole branch, whose source is endless, by itself.
    """

    branches: Tuple[Plan, ...]
    service: str = ""
    job: Optional[str] = None
    is_split: bool = True


SOURCES = (Produce, Endless, Pull, Zip, Merge, Distribute)
