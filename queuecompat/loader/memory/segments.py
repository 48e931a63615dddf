"""Blocks in memory that worker processes share.

Rule 1: this process makes every segment and takes its name away again (``close``), after the workers have ended: a
        name no longer exists when the loader is closed, even if a process was killed meanwhile.
Rule 2: the mapping goes when no array shows it, which may be later: a batch that was kept stays readable. So no
        buffer is ever exported; arrays are made on addresses, and hold on to the segment.
Rule 3: a segment costs two file descriptors, so their number grows with the logarithm of the blocks: each new one
        holds an eighth of the blocks that there are.
Rule 4: a segment is backed by real pages when it is made. Without that, a full /dev/shm kills the process that writes.
"""

from __future__ import annotations

import collections
import errno
import os
import secrets
from multiprocessing import shared_memory
from typing import Deque, Dict, List

import numpy as np

from queuecompat.loader.failures import load_error
from queuecompat.loader.memory.blocks import Block, Memory, borrowed_bytes, bytes_needed, returns_to
from queuecompat.loader.memory.structures import ExampleSpec

__all__ = ["Segment", "Segments"]


class Segment:
    """A piece of shared memory with a name: a new one of *size* bytes, or the one of that *name*."""

    def __init__(self, name: str = "", size: int = 0) -> None:
        # A process that attaches tells the resource tracker, which all processes of a program share, of a name that it
        # knows already; that changes nothing.
        self._shared = shared_memory.SharedMemory(name) if name else _made(size)
        self.name = self._shared.name
        if not name:
            self._back_with_pages(size)
        # The export ends with this line; what is made on the address holds on to this object.
        self.address = int(np.asarray(self._shared.buf).ctypes.data)
        self.size = self._shared.size

    def unlink(self) -> None:
        """Takes the name away."""
        self._shared.unlink()

    def numbers(self) -> np.ndarray:
        """All of it as whole numbers."""
        return borrowed_bytes(self.memory(0, self.size)).view(np.int64)

    def memory(self, offset: int, size: int) -> Memory:
        """*size* bytes of it."""
        return Memory(self, self.address + offset, size, (self.name, offset))

    def _back_with_pages(self, size: int) -> None:
        path = os.path.join("/dev/shm", self.name)
        if not os.path.exists(path) or not hasattr(os, "posix_fallocate"):
            return  # another system, which keeps its segments elsewhere
        handle = os.open(path, os.O_RDWR)
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError:
            self.unlink()
            raise
        finally:
            os.close(handle)


def _made(size: int) -> shared_memory.SharedMemory:
    """One with a new name, which the resource tracker knows before the segment is there: a program that is killed in
    the moment between would leave it in /dev/shm otherwise."""
    name = f"qc{os.getpid():x}_{secrets.token_hex(6)}"
    if os.name != "posix":
        return shared_memory.SharedMemory(name, create=True, size=size)
    from multiprocessing import resource_tracker

    resource_tracker.register(f"/{name}", "shared_memory")
    try:
        return shared_memory.SharedMemory(name, create=True, size=size)
    except BaseException:
        # Some failures have unregistered it already, and the tracker complains of a name that it does not know.
        resource_tracker.register(f"/{name}", "shared_memory")
        resource_tracker.unregister(f"/{name}", "shared_memory")
        raise


class Segments:
    """Blocks for one form."""

    def __init__(self, spec: ExampleSpec, made_at: str) -> None:
        self.spec = spec
        self._made_at = made_at
        self._blocks: Dict[int, int] = {}  # that there are, by their number of rows
        self._segments: List[Segment] = []
        self._free: Dict[int, Deque[Memory]] = {}

    def take(self, rows: int) -> Block:
        """A block of *rows* rows. One caller at a time."""
        free = self._free.setdefault(rows, collections.deque())
        if not free:
            free.extend(self._made(rows))
        return Block(self.spec, rows, free.pop(), returns_to(free))

    def close(self) -> None:
        """Takes all names away. The workers must have ended."""
        while self._segments:
            self._segments.pop().unlink()
        self._free.clear()

    def _made(self, rows: int) -> List[Memory]:
        size = bytes_needed(self.spec, rows)
        count = max(1, self._blocks.get(rows, 0) // 8)
        segment = self._segment(size * count)
        self._segments.append(segment)
        self._blocks[rows] = self._blocks.get(rows, 0) + count
        return [segment.memory(size * number, size) for number in range(count)]

    def _segment(self, size: int) -> Segment:
        try:
            return Segment(size=size)
        except OSError as problem:
            if problem.errno not in (errno.ENOSPC, errno.ENOMEM):
                raise
            held, needed = (_megabytes(number) for number in (sum(one.size for one in self._segments), size))
            raise load_error("QC613", self._made_at, cause=problem, needed=needed, held=held) from problem


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
