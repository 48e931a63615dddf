"""What a cache keeps, in memory or in files, and for how long that is right.

What is kept are *segments*: all elements that were made of one file, in their order, in *blocks* of consecutive ones.

Rule 1: a segment is found by the name of its file, the file's size and its time of change, below a key that stands for
        the ops and for the versions. Nothing that could be different is ever found.
Rule 2: a segment is found when it is whole. What was cut (an epoch that did not end, a process that was killed) is not.
        The blocks of a segment are the same in every attempt, so an attempt goes on where an earlier one was cut.
Rule 3: a segment that would need more than the budget is let go, and not tried again: it is made in every epoch.
Rule 4: a file that changed while it was read is not kept. Neither is what cannot be written: a full disk ends no run.

Locks: ``_lock`` guards the tables; in a folder it is not held while a block is read.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import threading
import weakref
from typing import Callable, Dict, List, Optional, Protocol, Sequence, Set, Tuple

import numpy as np

from queuecompat.errors import QueueCompatValueError, error

__all__ = [
    "SHARE_OF_FREE",
    "Block",
    "Identity",
    "Memory",
    "Places",
    "StatOf",
    "Status",
    "Store",
    "folder_for",
    "known_store",
    "store",
]

# The default budget, of the memory or the disk that is free when the pipeline is built.
SHARE_OF_FREE = 0.5

# Arrays whose first dimension is the elements.
Block = List[np.ndarray]
# The name of a file, or of a block of one, its size in bytes, and the time of its last change.
Identity = bytes
# From the path of a file to its size and its time of change in nanoseconds; raises an OSError where there is none.
StatOf = Callable[[str], Tuple[int, int]]


class Places(Protocol):
    """Where segments are kept."""

    def blocks(self, identity: Identity) -> Optional[int]:
        """How many blocks the segment has; None: it is not there as a whole."""

    def block(self, identity: Identity, number: int) -> Block:
        """One of them."""

    def begun(self, identity: Identity) -> int:
        """How many blocks of a segment that is not whole are there."""

    def add(self, identity: Identity, block: Block) -> int:
        """Adds the next block, and returns how many bytes that took."""

    def end(self, identity: Identity) -> None:
        """The segment is whole."""

    def drop(self, identity: Identity) -> int:
        """Lets go of a segment, whole or not, and returns how many bytes that freed."""

    def room(self) -> int:
        """How many bytes are free besides."""


@dataclasses.dataclass(frozen=True)
class Status:
    """*used* and *most* in bytes; *segments* that are kept, and *left_out* for which there was no room."""

    used: int
    most: int
    segments: int
    left_out: int


class Memory:
    """Segments in memory."""

    def __init__(self) -> None:
        self._begun: Dict[Identity, List[Block]] = {}
        self._whole: Dict[Identity, List[Block]] = {}

    def blocks(self, identity: Identity) -> Optional[int]:
        return len(self._whole[identity]) if identity in self._whole else None

    def block(self, identity: Identity, number: int) -> Block:
        return self._whole[identity][number]

    def begun(self, identity: Identity) -> int:
        return len(self._begun.get(identity, ()))

    def add(self, identity: Identity, block: Block) -> int:
        # TensorFlow may use the memory of what it passed again.
        self._begun.setdefault(identity, []).append([one.copy() for one in block])
        return bytes_of(block)

    def end(self, identity: Identity) -> None:
        self._whole[identity] = self._begun.pop(identity, [])

    def drop(self, identity: Identity) -> int:
        blocks = self._begun.pop(identity, []) + self._whole.pop(identity, [])
        return sum(map(bytes_of, blocks))

    def room(self) -> int:
        return free_memory()


def bytes_of(block: Block) -> int:
    """The bytes of *block* in memory."""
    return sum(_bytes_of_one(one) for one in block)


def _bytes_of_one(array: np.ndarray) -> int:
    if array.dtype != object:
        return int(array.nbytes)
    return sum(len(one) + _OF_AN_OBJECT for one in array.reshape(-1))


_OF_AN_OBJECT = 48  # a bytes object, and the pointer to it


class Store:
    """The segments of one cache.

    Args:
      places: where they are kept.
      most: the budget in bytes; None: a share of what is free.
      used: the bytes that were there before.
      path_of: from the name of a file, or of a block of one, to the file's path.
    """

    def __init__(
        self, places: Places, most: Optional[int], stat_of: StatOf, path_of: Callable[[bytes], str], used: int = 0
    ) -> None:
        self._places = places
        self._most = int((places.room() + used) * SHARE_OF_FREE) if most is None else most
        self._stat_of = stat_of
        self._path_of = path_of
        self._used = used
        self._whole: Set[Identity] = set()
        self._left_out: Set[Identity] = set()
        self._lock = threading.Lock()

    def status(self) -> Status:
        with self._lock:
            return Status(self._used, self._most, len(self._whole), len(self._left_out))

    def found(self, names: Sequence[bytes]) -> Tuple[List[Identity], List[int]]:
        """The identities of the files *names*, and how many blocks are kept of each; -1: it is not.

        A file that cannot be looked at has an empty identity, and nothing is kept of it.
        """
        identities = list(map(self._identity, names))
        with self._lock:
            return identities, [-1 if not one or one in self._left_out else self._count(one) for one in identities]

    def _count(self, identity: Identity) -> int:
        count = self._places.blocks(identity)
        if count is None:
            return -1
        self._whole.add(identity)
        return count

    def _identity(self, name: bytes) -> Identity:
        try:
            size, changed = self._stat_of(self._path_of(name))
        except OSError:
            return b""  # reading it is the error, and of the right type
        return b"%d %d " % (size, changed) + name

    def block(self, identities: Sequence[Identity], number: int) -> Block:
        """Block *number* of one segment; of several, which have one element each, all of these."""
        if len(identities) == 1:
            return self._places.block(identities[0], number)
        blocks = [self._places.block(one, 0) for one in identities]
        return [np.concatenate(parts) for parts in zip(*blocks)]

    def keep(self, identity: Identity, number: int, block: Block) -> None:
        """Keeps *block*, made of the file of *identity*, where there is room; an empty one says that it was the last.

        Blocks of one attempt come in their order.
        """
        with self._lock:
            if not identity or identity in self._left_out or self._places.blocks(identity) is not None:
                return
            if self._places.begun(identity) != number:
                return  # another attempt is ahead, or one is begun in the middle
            try:
                self._keep(identity, block)
            except OSError:
                self._leave_out(identity)

    def _keep(self, identity: Identity, block: Block) -> None:
        if len(block[0]):
            if self._used + bytes_of(block) > self._most:
                self._leave_out(identity)
            else:
                self._used += self._places.add(identity, block)
        elif self._is_unchanged(identity):
            self._places.end(identity)
            self._whole.add(identity)
        else:
            self._drop(identity)

    def _leave_out(self, identity: Identity) -> None:
        self._drop(identity)
        self._left_out.add(identity)

    def _is_unchanged(self, identity: Identity) -> bool:
        return self._identity(identity.split(b" ", 2)[2]) == identity

    def _drop(self, identity: Identity) -> None:
        self._used -= self._places.drop(identity)
        self._whole.discard(identity)


_stores: weakref.WeakValueDictionary[Tuple[str, str, Optional[int]], Store] = weakref.WeakValueDictionary()
_stores_lock = threading.Lock()


def store(key: str, where: str, most: Optional[int], make: Callable[[], Store]) -> Store:
    """The one store of this process for what *key* stands for, as long as something uses it."""
    with _stores_lock:
        found = _stores.get((key, where, most))
        if found is None:
            found = _stores[key, where, most] = make()
        return found


def known_store(key: str, where: str, most: Optional[int]) -> Optional[Store]:
    """The same, if there is one."""
    return _stores.get((key, where, most))


def free_memory() -> int:
    """Bytes of memory that are free; a quarter of all where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found = dict(line.split(":", 1) for line in lines)
        return int(found["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 if hasattr(os, "sysconf") else 1 << 30


def folder_for(where: str) -> str:
    """The folder *where*, made if it is missing.

    Raises:
      QueueCompatValueError: QC341, it cannot be made, or nothing can be written there.
    """
    try:
        os.makedirs(where, exist_ok=True)
        free = shutil.disk_usage(where).free
    except OSError as problem:
        raise error(QueueCompatValueError, "QC341", folder=where, why=problem) from None
    if not os.access(where, os.W_OK | os.X_OK) or not free:
        raise error(QueueCompatValueError, "QC341", folder=where, why="nothing can be written there")
    return where
