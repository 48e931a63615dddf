"""What a step of a plan computes: slices of the user's graph, as far as a plan and its passes may know them."""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, Callable, Hashable, List, Optional, Protocol, Sequence, Tuple

if TYPE_CHECKING:  # a plan is data: nothing here needs TensorFlow to run
    import tensorflow as tf

__all__ = ["Around", "Body", "Components", "ConcreteFunction", "Split", "Writer", "alone"]

Components = Tuple["tf.TensorSpec", ...]

# Gets what makes the tensors of a body's result, and returns the tensors in their place.
Around = Callable[[Callable[[], Sequence["tf.Tensor"]]], List["tf.Tensor"]]


def alone(compute: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
    """An ``Around`` that adds nothing."""
    return list(compute())


class Writer(Protocol):
    """Writes functions of the user's ops as Python source; see ``_backends.program.ops.Writer``."""

    def function(
        self,
        name: str,
        parameters: Sequence[Tuple[tf.Tensor, str]],
        ops: Sequence[tf.Operation],
        outputs: Sequence[tf.Tensor],
        shapes: Optional[Sequence[tf.TensorShape]] = None,
        first: Sequence[tf.Operation] = (),
    ) -> List[str]:
        """The lines of ``def name(...)``."""


class ConcreteFunction(Protocol):
    """What a body computes, traced; as much of TensorFlow's concrete functions as lowering needs."""

    @property
    def captured_inputs(self) -> Sequence[tf.Tensor]:
        """What it takes besides its arguments."""

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
      is_batchable: it can also be run on a whole batch at once, with the same result row by row.
    """

    is_empty = False
    is_random = False
    is_seeded = False
    has_effects = False
    may_end = False
    runs_alone = False
    calls_python = False
    is_batchable = False

    @property
    def keeps_its_order(self) -> bool:
        """Whether its runs have to come in the order of the elements, and one for each of them."""
        return self.has_effects or self.may_end

    def split(self) -> Optional[Split]:
        """In two, if the second part is batchable and the tensors between take fewer bytes; else None."""
        return None

    def with_draws(self, own: Sequence[int]) -> Optional[Split]:
        """With those draws from the program's own queues in it that its inputs *own* come from.

        Its head has all that has to run in one step with the draws, its tail the rest; None where nothing has to.
        """
        return None

    def structural_hash(self) -> Optional[Hashable]:
        """Equal for two bodies that compute the same from their inputs; None where it cannot be told."""
        return None

    @abc.abstractmethod
    def describe(self) -> str:
        """A few words for ``explain``."""

    @abc.abstractmethod
    def written(self, name: str, parameters: Sequence[str], writer: Writer, batched: bool = False) -> List[str]:
        """It as the lines of a Python function *name*; see ``lowering.program.ops.Writer``, which *writer* is."""

    @abc.abstractmethod
    def function(
        self,
        given: Optional[Sequence[tf.TensorSpec]] = None,
        uses: Sequence[int] = (),
        batched: bool = False,
        around: Around = alone,
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
