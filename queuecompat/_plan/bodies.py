"""Bodies: what a step of a plan computes. The interface of slices of the user's graph to plans and passes.

``_analysis.slicing.Slice`` implements it; ``printing.ParsedBody`` does for tests of passes.
"""

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

__all__ = [
    "Around",
    "Body",
    "CacheSplit",
    "Components",
    "ConcreteFunction",
    "InBatches",
    "Split",
    "Writer",
    "alone",
    "rows_spec",
]

Components = Tuple["tf.TensorSpec", ...]

# A decorator of a draw or a body: takes a function that makes the result tensors, and returns tensors to use instead.
Around = Callable[[Callable[[], Sequence["tf.Tensor"]]], List["tf.Tensor"]]


def rows_spec(spec: tf.TensorSpec) -> tf.TensorSpec:
    """The spec of any number of rows, each with *spec*."""
    return type(spec)([None, *spec.shape], spec.dtype)


def alone(compute: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
    """An ``Around`` that adds nothing."""
    return list(compute())


class Writer(Protocol):
    """Writes functions of the user's ops as Python source; see ``_backends.program.ops.Writer``.

    Attributes:
      arguments: the tensors of the graph that the written program takes as arguments, by their names in the graph.
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
        notes: Any = None,
        stands_for: Optional[Mapping[str, tf.Tensor]] = None,
    ) -> List[str]:
        """Returns the lines of ``def name(...)``."""


class ConcreteFunction(Protocol):
    """A traced body: the part of TensorFlow's concrete functions that lowering needs."""

    @property
    def captured_inputs(self) -> Sequence[tf.Tensor]:
        """The captured tensors, which it takes in addition to its arguments."""

    @property
    def inputs(self) -> Sequence[tf.Tensor]:
        """The tensors of its own graph that stand for its arguments and for its captured tensors."""

    @property
    def outputs(self) -> Sequence[tf.Tensor]:
        """The tensors of its own graph that it returns."""

    def __call__(self, *arguments: tf.Tensor) -> List[tf.Tensor]:
        """Calls the function."""


class Body(abc.ABC):
    """A slice of the user's graph, as far as passes may know it.

    Attributes:
      is_empty: whether it has no ops and only selects some of its inputs.
      is_random: whether it draws random numbers.
      is_seeded: whether it draws some of them from a seed that the user fixed.
      has_effects: whether running it does more than return values (``py_func``, ``assign``, print), so that the
        order and the number of its runs matter.
      may_end: whether running it may end the data (``count_up_to``, a ``py_func`` that raises StopIteration).
      runs_alone: whether its runs must not overlap, because they would then end the data elsewhere (``count_up_to``).
      calls_python: whether it calls a Python function, which may not be safe in more threads than the user asked for.
      only_reads_file: whether its only op reads the file whose name is an input.
      keeps_rows: whether each of its results is known to have as many rows as its inputs, if these are batches.
      belongs_here: why no other process can run it, in words; empty: any process can.
      may_change: whether it reads a variable that something besides its initialiser writes.
      op_names: the names of its ops in the user's graph.
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
    def keeps_rows(self) -> bool:
        return False

    @property
    def belongs_here(self) -> str:
        return ""

    @property
    def may_change(self) -> bool:
        return False

    @property
    def only_draws_few(self) -> bool:
        """Whether it draws a few numbers and does little else, so that a call takes less time than waking a thread."""
        return False

    @property
    def large_constants(self) -> Sequence[tf.Tensor]:
        """The large constants of the user's graph that it captures by reference rather than copies."""
        return ()

    @property
    def op_names(self) -> AbstractSet[str]:
        return frozenset()

    @property
    def keeps_its_order(self) -> bool:
        """Whether it must run exactly once for each element, in the order of the elements."""
        return self.has_effects or self.may_end

    def in_batches(
        self,
        lengths: Sequence[Optional[int]] = (),
        size: Optional[int] = None,
        *,
        pads: bool = False,
        keeps: bool = False,
    ) -> Optional[InBatches]:
        """Returns the form of this body for whole batches, with the same results; None: there is none.

        Args:
          lengths: for each input, the length in bytes of every string in it; None: unknown, or lengths differ.
          size: how many elements every batch has; None: a batch may have fewer.
          pads: whether results that differ in length are padded to the longest of their batch.
          keeps: whether the last result tells which elements of a batch to keep; it is not output itself.
        """
        return None

    def cropped_early(self) -> Tuple[Optional[Body], str]:
        """Moves the crops of this body to where there is least to compute.

        Returns:
          The changed body, or None if nothing could be moved; and a description of what has moved.
        """
        return None, ""

    def with_draws(self, own: Sequence[int]) -> Optional[Split]:
        """Includes draws from the program's own queues in this body.

        Args:
          own: the indices of the inputs that these draws output.
        Returns:
          A split whose head has the draws and all ops that must run in the same step as they; its tail is the rest.
          None: no op must run in the same step.
        """
        return None

    def cache_split(self, after_read: bool) -> Union[CacheSplit, str]:
        """Splits off the part of this body whose results depend on the content of one file only, so can be cached.

        Args:
          after_read: whether its inputs were read from the file; otherwise it reads the file itself (``ReadFile``).
        Returns:
          The split; or the reason why there is no such part.
        """
        return "nothing is known of its ops"

    def structural_hash(self) -> Optional[Hashable]:
        """Returns a value that is equal for bodies that compute the same from their inputs; None: it is unknown."""
        return None

    def by_number(self, key: Optional[int] = None) -> Optional[Body]:
        """Returns this body with an additional last input, which decides the random numbers that no seed decides.

        Args:
          key: decides them together with the input, then an int64 ``[]``; None: the input, an int64 ``[2]``, decides
            alone.
        Returns:
          None if it draws no such numbers, or has a random op without a stateless form.
        """
        return None

    @abc.abstractmethod
    def describe(self) -> str:
        """Returns a few words for ``explain``."""

    @abc.abstractmethod
    def written(self, name: str, parameters: Sequence[str], writer: Writer) -> List[str]:
        """Returns this body as the lines of a Python function *name*, made by *writer* (``_backends.program.ops``)."""

    @abc.abstractmethod
    def function(
        self,
        given: Optional[Sequence[tf.TensorSpec]] = None,
        uses: Sequence[int] = (),
        around: Around = alone,
        carries: bool = False,
    ) -> ConcreteFunction:
        """Returns this body as a traced function, for the lowering; see ``_analysis.slicing.Slice.function``."""


@dataclasses.dataclass(frozen=True)
class Split:
    """A body cut in two.

    Attributes:
      head: the first part.
      uses: the indices of the whole body's inputs that *head* takes.
      between: the specs of the outputs of *head*.
      tail: the second part, which takes all outputs of *head*, in order; None: *head* is the whole body.
    """

    head: Body
    uses: Tuple[int, ...]
    between: Components
    tail: Optional[Body]


@dataclasses.dataclass(frozen=True)
class CacheSplit:
    """A body cut into a part that can be cached, since its results are a function of one file, and the rest.

    Attributes:
      head: the part that can be cached.
      uses: the indices of the whole body's inputs that *head* takes.
      between: the specs of the outputs of *head*.
      key: equal for heads that compute the same, in every process.
      tail: the rest.
      tail_uses: the inputs of *tail*: the indices of outputs of *head*; or, if negative, inputs of the whole body: -1
        is the first, -2 the second.
      is_whole: whether *tail* only passes on the outputs of *head*.
      name: of a body that reads a file whose name it computes: the part that computes the name. It outputs the name,
        the input of *head*, followed by all inputs of the whole body. None: the name is an input of the whole body
        (*uses*), or the inputs were read from the file already.
      name_uses: the indices of the whole body's inputs that *name* takes.
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
    """A body cut into a part that runs for each element and a part that runs once for each batch.

    Attributes:
      head: runs for each element; its outputs are batched. None: nothing runs for each element.
      uses: the indices of the whole body's inputs that *head* takes, or *tail* if there is no *head*.
      between: the specs of the components that are batched.
      tail: runs once on each batch; None: no op can run on batches.
      remark: which ops run on batches and which do not, in words; empty if all do.
    """

    head: Optional[Body]
    uses: Tuple[int, ...]
    between: Components
    tail: Optional[Body]
    remark: str
