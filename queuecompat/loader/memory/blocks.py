"""The memory of batches: blocks of rows that workers write into and that consumers hold.

Rule 1: one block is one piece of memory; each array of the batch starts at a multiple of 64 bytes in it, so that
        TensorFlow takes it over without a copy.
Rule 2: memory is used again as soon as no array shows it: the block's arrays borrow it, and return it when
        the last of them, or of the views that were made of them, is gone. So a batch that is kept never changes.
Rule 3: memory for very small blocks is NumPy's own, and new each time: that costs a fifth of borrowing it. A copy of so
        little, where a library needs one, costs less than what avoids it.
Rule 4: what allocates memory (``take``) and takes it back (``returns_to``) uses no lock: arrays may be collected on any
        thread.
Rule 5: memory of another library's allocator is returned to that one, which knows who still reads it, and uses it
        again itself.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import math
import weakref
from typing import Any, Callable, ClassVar, Deque, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from queuecompat.loader.memory.structures import ExampleSpec, Leaf, packed

__all__ = ["Block", "BufferPool", "Memory", "borrowed_bytes", "bytes_needed", "owner_of", "returns_to"]

_ALIGNMENT = 64  # bytes
_VERY_SMALL = 512  # bytes
_NO_VIEWS = itertools.repeat(None)  # as often as they are asked for


class Memory:
    """*owner* keeps the bytes at *address* alive; *place* is how another process finds them."""

    __slots__ = ("address", "interface", "owner", "place", "size")

    def __init__(self, owner: Any, address: int, size: int, place: Tuple[str, int] = ("", 0)) -> None:
        self.owner = owner
        self.address = address
        self.size = size
        self.place = place
        # Made once: small memory is borrowed often.
        self.interface = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, False)}


class _Borrowed:
    """What arrays hold on to while they look at a piece of memory."""

    __slots__ = ("__array_interface__", "__weakref__", "_owner")

    def __init__(self, memory: Memory) -> None:
        self._owner = memory.owner
        self.__array_interface__ = memory.interface


class _Loan(weakref.ref):  # type: ignore[type-arg]
    """Returns *memory* when what borrowed it is gone. ``weakref.finalize`` does the same, at five times the cost."""

    __slots__ = ("give_back", "memory")
    memory: Memory
    give_back: Callable[[Memory], None]
    running: ClassVar[Set[_Loan]] = set()  # adding and discarding are atomic

    def __new__(cls, borrowed: _Borrowed, memory: Memory, give_back: Callable[[Memory], None]) -> _Loan:
        loan = super().__new__(cls, borrowed, _end_loan)
        loan.memory = memory
        loan.give_back = give_back
        cls.running.add(loan)
        return loan

    def __init__(self, borrowed: _Borrowed, memory: Memory, give_back: Callable[[Memory], None]) -> None:
        super().__init__(borrowed, _end_loan)  # type: ignore[call-arg]


def _end_loan(loan: Any, running: Set[_Loan] = _Loan.running) -> None:
    # An argument: when the program ends, arrays may go after this module's names.
    running.discard(loan)
    loan.give_back(loan.memory)


def borrowed_bytes(memory: Memory) -> np.ndarray:
    """The bytes of *memory*, which stays as long as the array does."""
    return np.asarray(_Borrowed(memory))


def owner_of(array: np.ndarray) -> Any:
    """The owner of the memory that *array* borrows; None for other arrays."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base._owner if isinstance(base, _Borrowed) else None


class Block:
    """*rows* examples of one spec, in memory of its own.

    Args:
      give_back: is called with the memory when nothing borrows it any more. None: that is its owner's affair.

    Attributes:
      borrowed: lives as long as the block, or any array that the consumer has of it.
    """

    def __init__(
        self,
        spec: ExampleSpec,
        rows: int,
        memory: Memory,
        give_back: Optional[Callable[[Memory], None]],
        layout: Optional[Layout] = None,
    ) -> None:
        self.spec = spec
        self.rows = rows
        self.memory = memory
        self.borrowed = borrowed = _Borrowed(memory)
        if give_back is not None:
            _Loan(borrowed, memory, give_back)
        self._layout = layout_of(spec, rows) if layout is None else layout
        self.arrays = _arrays_in(np.asarray(borrowed), self._layout)

    def write(self, row: int, leaves: Sequence[np.ndarray], views: Optional[Sequence[np.ndarray]] = None) -> None:
        """Puts an example into *row*. What ``load`` wrote there itself is not copied; where it returned the *views*
        of the row that it was given, that is seen at once."""
        rest = [
            (array, leaf)
            for array, leaf, view in zip(self.arrays, leaves, views or _NO_VIEWS)
            if leaf is not view and (leaf.base is None or not _is_row(leaf, array, row))
        ]
        if len(rest) > 1:
            rest = [(array, self._apart(leaf)) for array, leaf in rest]
        for array, leaf in rest:
            array[row, ...] = leaf

    def _apart(self, leaf: np.ndarray) -> np.ndarray:
        """*leaf*; or a copy, if it shows memory of the block, which another leaf may be written to before."""
        is_inside = leaf.base is not None and any(np.may_share_memory(leaf, array) for array in self.arrays)
        return leaf.copy() if is_inside else leaf

    def write_objects(self, row: int, leaves: Sequence[np.ndarray]) -> None:
        """Puts those arrays of an example into *row* that no shared memory can hold."""
        for array, leaf in zip([array for array in self.arrays if array.dtype.hasobject], leaves):
            array[row, ...] = leaf

    def copy_row(self, row: int, source: Block, source_row: int) -> None:
        for here, there in zip(self.arrays, source.arrays):
            here[row, ...] = there[source_row, ...]

    def copied_to(self, other: Block) -> Block:
        for here, there in zip(self.arrays, other.arrays):
            there[...] = here
        return other

    def views(self, row: int) -> List[np.ndarray]:
        """The arrays of one row, to be written into."""
        return [array[row, ...] for array in self.arrays]

    def batch(self, rows: int, *, holds: bool) -> Any:
        """The first *rows* examples as the consumer sees them.

        Args:
          holds: whether the arrays hold on to the memory. Otherwise it is used again as soon as the block is gone.
        """
        arrays, treedef = self.arrays if holds else self._passing_arrays(), self.spec.treedef
        if treedef is None:
            return arrays[0] if rows == self.rows else arrays[0][:rows]
        whole = arrays if rows == self.rows else [array[:rows] for array in arrays]
        return packed(treedef, whole)

    def _passing_arrays(self) -> List[np.ndarray]:
        arrays = _arrays_in(borrowed_bytes(self.memory), self._layout)
        return [held if held.dtype.hasobject else array for held, array in zip(self.arrays, arrays)]


class VerySmallBlock(Block):
    """A block in NumPy's own memory."""

    def __init__(self, spec: ExampleSpec, rows: int, layout: Layout) -> None:
        self.spec = spec
        self.rows = rows
        self.arrays = [np.empty(shape, dtype) for shape, dtype, _ in layout]

    def _passing_arrays(self) -> List[np.ndarray]:
        return self.arrays


def _is_row(leaf: np.ndarray, array: np.ndarray, row: int) -> bool:
    """Whether *leaf*, which has the row's shape and dtype, is that row of *array*."""
    return leaf.ctypes.data == array[row, ...].ctypes.data and leaf.strides == array.strides[1:]


# Shape, dtype and first byte of each array; None for those of objects, which are elsewhere.
Layout = List[Tuple[Tuple[int, ...], np.dtype, Optional[int]]]


def _arrays_in(raw: np.ndarray, layout: Layout) -> List[np.ndarray]:
    return [
        np.empty(shape, dtype) if offset is None else np.ndarray(shape, dtype, raw, offset)
        for shape, dtype, offset in layout
    ]


def layout_of(spec: ExampleSpec, rows: int) -> Layout:
    """Arrays of *rows* rows, one after another."""
    layout: Layout = []
    offset = 0
    for leaf in spec.leaves:
        layout.append(((rows, *leaf.shape), leaf.dtype, None if leaf.is_object else offset))
        offset += 0 if leaf.is_object else _aligned(_size(leaf, rows))
    return layout


def bytes_needed(spec: ExampleSpec, rows: int) -> int:
    """For *rows* examples; at least one byte, since an empty segment cannot be allocated."""
    return max(1, sum(_aligned(_size(leaf, rows)) for leaf in spec.leaves if not leaf.is_object))


def _size(leaf: Leaf, rows: int) -> int:
    return rows * math.prod(leaf.shape) * leaf.dtype.itemsize


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def returns_to(free: Deque[Memory]) -> Callable[[Memory], None]:
    """Puts memory into *free*, as long as that is in use: a batch that is kept must not keep the memory of others."""
    place = weakref.ref(free)

    def give_back(memory: Memory) -> None:
        free = place()
        if free is not None:
            free.append(memory)

    return give_back


class BufferPool:
    """Blocks in the memory of this process, for examples of one spec; *allocated* asks another allocator."""

    def __init__(self, allocated: Optional[Callable[[int], Memory]] = None) -> None:
        self._allocated = allocated
        self._sizes: Dict[int, _BlockSize] = {}  # by the number of rows

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Memory for *rows* examples of *spec*, which is always the same."""
        size = self._sizes.get(rows)
        if size is None:
            size = self._sizes.setdefault(rows, _BlockSize(spec, rows))
        if self._allocated is not None:
            return Block(spec, rows, self._allocated(size.bytes), None, size.layout)
        if size.bytes <= _VERY_SMALL:
            return VerySmallBlock(spec, rows, size.layout)
        try:
            memory = size.free.pop()
        except IndexError:
            self._discard(size.bytes)
            memory = _allocated(size.bytes)
        return Block(spec, rows, memory, size.give_back, size.layout)

    def forget(self) -> None:
        """Frees all memory that is not borrowed, now and when it comes back."""
        self._sizes = {}

    def _discard(self, size: int) -> None:
        """Drops *size* bytes of free memory that is for other numbers of rows, before more is allocated."""
        for other in list(self._sizes.values()):
            while size > 0 and other.free:
                with contextlib.suppress(IndexError):  # another worker was faster
                    size -= other.free.pop().size


class _BlockSize:
    """What blocks of so many rows have in common; *free* is memory that was borrowed and returned."""

    def __init__(self, spec: ExampleSpec, rows: int) -> None:
        self.free: Deque[Memory] = collections.deque()
        self.give_back = returns_to(self.free)
        self.layout = layout_of(spec, rows)
        self.bytes = bytes_needed(spec, rows)


def _allocated(size: int) -> Memory:
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return Memory(raw, raw.ctypes.data + start, size)
