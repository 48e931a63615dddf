"""What a step of a plan computes: slices of the user's graph, as far as a plan and its passes may know them."""

from __future__ import annotations

import abc
import dataclasses
from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Any,
    Callable,
    Dict,
    Hashable,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
)

if TYPE_CHECKING:  # a plan is data: nothing here needs TensorFlow to run
    import tensorflow as tf

__all__ = ["Around", "Body", "Components", "ConcreteFunction", "InBatches", "Kept", "Split", "Writer", "alone"]

Components = Tuple["tf.TensorSpec", ...]

# Gets what makes the tensors of a body's result, and returns the tensors in their place.
Around = Callable[[Callable[[], Sequence["tf.Tensor"]]], List["tf.Tensor"]]


def alone(compute: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
    """An ``Around`` that adds nothing."""
    return list(compute())


class Writer(Protocol):
    """Writes functions of the user's ops as Python source; see ``_backends.program.ops.Writer``.

    *arguments*: the tensors of a graph that a program takes as arguments, by their names there.
    """

    arguments: Dict[str, tf.Tensor]

    def function(
        self,
        name: str,
        parameters: Sequence[Tuple[tf.Tensor, str]],
        ops: Sequence[tf.Operation],
        outputs: Sequence[tf.Tensor],
        shapes: Optional[Sequence[tf.TensorShape]] = None,
        first: Sequence[tf.Operation] = (),
        said: Any = None,
        stands_for: Optional[Mapping[str, tf.Tensor]] = None,
    ) -> List[str]:
        """The lines of ``def name(...)``."""


class ConcreteFunction(Protocol):
    """What a body computes, traced; as much of TensorFlow's concrete functions as lowering needs."""

    @property
    def captured_inputs(self) -> Sequence[tf.Tensor]:
        """What it takes besides its arguments."""

    @property
    def inputs(self) -> Sequence[tf.Tensor]:
        """The tensors of its own graph that stand for its arguments, and for what it takes besides."""

    @property
    def outputs(self) -> Sequence[tf.Tensor]:
        """The tensors of its own graph that it returns."""

    def __call__(self, *arguments: tf.Tensor) -> List[tf.Tensor]:
        """Calls it."""


class Body(abc.ABC):
    """What a slice of the user's graph computes, as far as passes may know it.

    Attributes:
      is_empty: it only chooses among its inputs.
      is_random: it draws random numbers; *is_seeded*: from a seed that the user fixed.
      has_effects: running it does something besides returning values (``py_func``, ``assign``, print),
        so the order and the number of its runs matter.
      may_end: running it may say "end of data" (``count_up_to``, a ``py_func`` that stops iterating).
      runs_alone: two runs at once would not end the data where one after the other does.
      calls_python: it calls a Python function, which need not bear more threads than the user asked for.
      only_reads_file: it outputs the content of the file that it is given the name of, and nothing else but its inputs.
      belongs_here: why no other process can run it, in words; empty: any can.
      may_change: it reads a variable that something besides its initialiser writes.
      op_names: of the ops that it runs, in the user's graph.
    """

    is_empty = False
    is_random = False
    is_seeded = False
    has_effects = False
    may_end = False
    runs_alone = False
    calls_python = False
    only_reads_file = False

    @property
    def belongs_here(self) -> str:
        return ""

    @property
    def may_change(self) -> bool:
        return False

    @property
    def only_draws_few(self) -> bool:
        """Whether it draws a few numbers and little else: it is done before another thread would have begun."""
        return False

    @property
    def large_constants(self) -> Sequence[tf.Tensor]:
        """The constants that it takes by reference."""
        return ()

    @property
    def op_names(self) -> AbstractSet[str]:
        return frozenset()

    @property
    def keeps_its_order(self) -> bool:
        """Whether its runs have to come in the order of the elements, and one for each of them."""
        return self.has_effects or self.may_end

    def in_batches(
        self,
        lengths: Sequence[Optional[int]] = (),
        size: Optional[int] = None,
        *,
        pads: bool = False,
        keeps: bool = False,
    ) -> Optional[InBatches]:
        """It for whole batches, with the same result element by element; None: nothing in it could run on batches.

        Args:
          lengths: for each input the bytes of all its strings; None: they may differ.
          size: how many elements every batch has; None: the last may have fewer.
          pads: whether a result that differs in length comes out padded to the longest of its batch.
          keeps: whether its last result says which elements of a batch come out, and does not come out itself.
        """
        return None

    def cropped_early(self) -> Tuple[Optional[Body], str]:
        """It with its crops moved to where there is least to compute, and what has moved, in words; None: nothing."""
        return None, ""

    def with_draws(self, own: Sequence[int]) -> Optional[Split]:
        """With those draws from the program's own queues in it that its inputs *own* come from.

        Its head has all that has to run in one step with the draws, its tail the rest; None where nothing has to.
        """
        return None

    def kept(self, after_read: bool) -> Union[Kept, str]:
        """It with a part that computes the same whenever it is given the same file; or why there is none.

        Args:
          after_read: its inputs were read from the file; otherwise it reads a file itself (``ReadFile``).
        """
        return "nothing is known of its ops"

    def structural_hash(self) -> Optional[Hashable]:
        """Equal for two bodies that compute the same from their inputs; None where it cannot be told."""
        return None

    def by_number(self, key: Optional[int] = None) -> Optional[Body]:
        """It with one input more, the last, which decides the random numbers that no seed decides.

        Args:
          key: decides with it, the input being an int64 ``[]``; None: the input, an int64 ``[2]``, decides alone.
        Returns:
          None: it draws none, or some that nothing could decide.
        """
        return None

    @abc.abstractmethod
    def describe(self) -> str:
        """A few words for ``explain``."""

    @abc.abstractmethod
    def written(self, name: str, parameters: Sequence[str], writer: Writer) -> List[str]:
        """It as the lines of a Python function *name*; see ``lowering.program.ops.Writer``, which *writer* is."""

    @abc.abstractmethod
    def function(
        self,
        given: Optional[Sequence[tf.TensorSpec]] = None,
        uses: Sequence[int] = (),
        around: Around = alone,
        carries: bool = False,
    ) -> ConcreteFunction:
        """What it computes, for the lowering; see ``slicing.Slice``."""


@dataclasses.dataclass(frozen=True)
class Split:
    """A body in two: *head*, and *tail*, which takes what *head* outputs, in order; None: *head* is the whole.

    *uses* are the inputs of the whole that *head* takes; *between* the specs of what it outputs.
    """

    head: Body
    uses: Tuple[int, ...]
    between: Components
    tail: Optional[Body]


@dataclasses.dataclass(frozen=True)
class Kept:
    """A body in two: *head*, whose results are a function of one file, and *tail*, the rest.

    *uses*: the inputs of the whole that *head* takes; *between*: the specs of what it outputs. *key*: equal for heads
    that compute the same, in every process. *name*, of a body that reads its file itself: what makes the name of the
    file, which *head* takes then, and outputs it before all inputs of the whole; *name_uses*: the inputs it takes.
    None: the name is an input, *uses*, or the inputs come from the file already. *tail* takes *tail_uses*: numbers of
    what *head* outputs, or, negative, of the inputs of the whole: -1 is the first. *is_whole*: *tail* outputs what
    *head* outputs.
    """

    head: Body
    uses: Tuple[int, ...]
    between: Components
    key: str
    tail: Body
    tail_uses: Tuple[int, ...]
    is_whole: bool = False
    name: Optional[Body] = None
    name_uses: Tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class InBatches:
    """A body for whole batches: *head* runs for each element, *tail* once for a batch of what *head* outputs.

    *uses* are the inputs of the whole that *head* takes, or *tail* where *head* is None: nothing runs for each element.
    *between*: the specs of what is batched. *tail* None: no op runs on batches. *remark*: how much does, and what does
    not, in words; empty where everything does.
    """

    head: Optional[Body]
    uses: Tuple[int, ...]
    between: Components
    tail: Optional[Body]
    remark: str
