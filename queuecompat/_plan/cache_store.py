"""The store of a cache (``cache="ram"`` or a folder): what it holds, and when that is valid.

A store holds *segments*: all elements that were made of one file, in order, in *blocks* of consecutive elements.

Rule 1: a segment is looked up by the name, the size and the modification time of its file, in a store whose key stands
        for the ops and the versions. So a stale segment is never found.
Rule 2: only complete segments are found, not those whose epoch did not end or whose process was killed. The blocks of a
        segment are the same in every attempt, so that an attempt continues where an earlier one was interrupted.
Rule 3: a segment that would exceed the budget is dropped and not tried again; its elements are made in every epoch.
Rule 4: a file that changed while it was read is not cached. A segment that cannot be written is dropped: a full disk
        does not end the run.

Locks: ``_lock`` guards the tables; with a folder, it is not held while a block is read.
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
    "SegmentStorage",
    "StatOf",
    "Status",
    "Store",
    "folder_for",
    "known_store",
    "store",
]

# The default budget: this share of the memory or the disk space that is free when the pipeline is built.
SHARE_OF_FREE = 0.5

# One array for each component, of shape [elements, ...].
Block = List[np.ndarray]
# Identifies a segment: the size in bytes and the modification time of its file, and the name of the file or of a block
# of its records; empty: the file cannot be accessed.
Identity = bytes
# Returns the size in bytes and the modification time in nanoseconds of the file with that path; raises OSError.
StatOf = Callable[[str], Tuple[int, int]]


class SegmentStorage(Protocol):
    """Where segments are stored: in memory (``Memory``) or in files (``cache_files.Folder``)."""

    def blocks(self, identity: Identity) -> Optional[int]:
        """Returns how many blocks the segment has; None: it is missing or incomplete."""

    def block(self, identity: Identity, number: int) -> Block:
        """Returns block *number* of a complete segment."""

    def begun(self, identity: Identity) -> int:
        """Returns how many blocks of an incomplete segment are stored."""

    def add(self, identity: Identity, block: Block) -> int:
        """Adds the next block, and returns how many bytes it took."""

    def end(self, identity: Identity) -> None:
        """Marks the segment as complete."""

    def drop(self, identity: Identity) -> int:
        """Drops a segment, complete or not, and returns how many bytes this freed."""

    def free_bytes(self) -> int:
        """Returns how many bytes are free."""


@dataclasses.dataclass(frozen=True)
class Status:
    """The state of a store.

    Attributes:
      used: the size of what it holds, in bytes.
      most: the budget, in bytes.
      segments: how many complete segments it has found or stored.
      left_out: how many segments were not stored for lack of room.
    """

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
        # TensorFlow may reuse the memory of the arrays.
        self._begun.setdefault(identity, []).append([one.copy() for one in block])
        return bytes_of(block)

    def end(self, identity: Identity) -> None:
        self._whole[identity] = self._begun.pop(identity, [])

    def drop(self, identity: Identity) -> int:
        blocks = self._begun.pop(identity, []) + self._whole.pop(identity, [])
        return sum(map(bytes_of, blocks))

    def free_bytes(self) -> int:
        return free_memory()


def bytes_of(block: Block) -> int:
    """The size of *block* in memory, in bytes."""
    return sum(_bytes_of_one(one) for one in block)


def _bytes_of_one(array: np.ndarray) -> int:
    if array.dtype != object:
        return int(array.nbytes)
    return sum(len(one) + _OF_AN_OBJECT for one in array.reshape(-1))


_OF_AN_OBJECT = 48  # bytes of a bytes object's header, and of the pointer to it


class Store:
    """The segments of one cache, within a budget.

    Args:
      storage: where the segments are stored.
      most: the budget in bytes; None: ``SHARE_OF_FREE`` of what is free.
      stat_of: returns the size and the modification time of a file.
      path_of: returns the path of the file for the name of a file, or of a block of its records.
      used: how many bytes the segments that exist already take.
    """

    def __init__(
        self,
        storage: SegmentStorage,
        most: Optional[int],
        stat_of: StatOf,
        path_of: Callable[[bytes], str],
        used: int = 0,
    ) -> None:
        self._storage = storage
        self._most = int((storage.free_bytes() + used) * SHARE_OF_FREE) if most is None else most
        self._stat_of = stat_of
        self._path_of = path_of
        self._used = used
        self._whole: Set[Identity] = set()
        self._left_out: Set[Identity] = set()
        self._lock = threading.Lock()

    def status(self) -> Status:
        with self._lock:
            return Status(self._used, self._most, len(self._whole), len(self._left_out))

    def look_up(self, names: Sequence[bytes]) -> Tuple[List[Identity], List[int]]:
        """Returns the identities of the files *names*, and the number of stored blocks of each; -1: it is not stored.

        A file that cannot be accessed has an empty identity, and is not stored.
        """
        identities = list(map(self._identity, names))
        with self._lock:
            return identities, [
                -1 if not one or one in self._left_out else self._stored_blocks(one) for one in identities
            ]

    def _stored_blocks(self, identity: Identity) -> int:
        count = self._storage.blocks(identity)
        if count is None:
            return -1
        self._whole.add(identity)
        return count

    def _identity(self, name: bytes) -> Identity:
        try:
            size, changed = self._stat_of(self._path_of(name))
        except OSError:
            return b""  # reading the file will raise the error, of the right type
        return b"%d %d " % (size, changed) + name

    def block(self, identities: Sequence[Identity], number: int) -> Block:
        """Returns block *number* of one segment; of several segments of one element each, all their elements."""
        if len(identities) == 1:
            return self._storage.block(identities[0], number)
        blocks = [self._storage.block(one, 0) for one in identities]
        return [np.concatenate(parts) for parts in zip(*blocks)]

    def keep(self, identity: Identity, number: int, block: Block) -> None:
        """Stores *block*, the block *number* of the file of *identity*, if there is room for it.

        The blocks of one attempt come in order; an empty block means that the segment is complete.
        """
        with self._lock:
            if not identity or identity in self._left_out or self._storage.blocks(identity) is not None:
                return
            if self._storage.begun(identity) != number:
                return  # another attempt is ahead, or this one has begun in the middle
            try:
                self._keep(identity, block)
            except OSError:
                self._leave_out(identity)

    def _keep(self, identity: Identity, block: Block) -> None:
        if len(block[0]):
            if self._used + bytes_of(block) > self._most:
                self._leave_out(identity)
            else:
                self._used += self._storage.add(identity, block)
        elif self._is_unchanged(identity):
            self._storage.end(identity)
            self._whole.add(identity)
        else:
            self._drop(identity)

    def _leave_out(self, identity: Identity) -> None:
        self._drop(identity)
        self._left_out.add(identity)

    def _is_unchanged(self, identity: Identity) -> bool:
        return self._identity(identity.split(b" ", 2)[2]) == identity

    def _drop(self, identity: Identity) -> None:
        self._used -= self._storage.drop(identity)
        self._whole.discard(identity)


_stores: weakref.WeakValueDictionary[Tuple[str, str, Optional[int]], Store] = weakref.WeakValueDictionary()
_stores_lock = threading.Lock()


def store(key: str, where: str, most: Optional[int], make: Callable[[], Store]) -> Store:
    """Returns this process's only store for these arguments, which exists as long as it is used; *make* makes it."""
    with _stores_lock:
        found = _stores.get((key, where, most))
        if found is None:
            found = _stores[key, where, most] = make()
        return found


def known_store(key: str, where: str, most: Optional[int]) -> Optional[Store]:
    """Returns the store for these arguments, if it exists."""
    return _stores.get((key, where, most))


def free_memory() -> int:
    """Returns how many bytes of memory are free; if the system does not say, a quarter of all memory."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found = dict(line.split(":", 1) for line in lines)
        return int(found["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 if hasattr(os, "sysconf") else 1 << 30


def folder_for(where: str) -> str:
    """Returns the folder *where*, after creating it if it is missing.

    Raises:
      QueueCompatValueError: QC341, the folder cannot be created or written to.
    """
    try:
        os.makedirs(where, exist_ok=True)
        free = shutil.disk_usage(where).free
    except OSError as problem:
        raise error(QueueCompatValueError, "QC341", folder=where, why=problem) from None
    if not os.access(where, os.W_OK | os.X_OK) or not free:
        raise error(QueueCompatValueError, "QC341", folder=where, why="nothing can be written there")
    return where
