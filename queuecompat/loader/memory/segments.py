"""Blocks in shared memory, into which worker processes write.

Rule 1: this process creates every segment, and unlinks its name in ``close``, after the workers have ended. So no names
        are left when the loader is closed, even if a process was killed meanwhile.
Rule 2: the memory stays mapped as long as any array uses it, which may be after ``close``: a batch that the program
        keeps stays readable. So no buffer of the segment is exported for longer than a line; arrays are made from its
        address, and keep the segment alive.
Rule 3: a segment costs two file descriptors, so the number of segments grows only with the logarithm of the number of
        blocks: each new segment holds an eighth as many blocks as there are.
Rule 4: all pages of a segment are allocated when it is made. Otherwise a full /dev/shm would kill the process that
        writes into it.
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
    """A named piece of shared memory: the existing one called *name*, or a new one of *size* bytes."""

    def __init__(self, name: str = "", size: int = 0) -> None:
        # Attaching registers the name with the resource tracker, which all processes of a program share. The tracker
        # knows the name already, so that changes nothing.
        self._shared = shared_memory.SharedMemory(name) if name else _made(size)
        self.name = self._shared.name
        if not name:
            self._back_with_pages(size)
        # The buffer is exported in this line only; arrays that are made from the address keep this object alive.
        self.address = int(np.asarray(self._shared.buf).ctypes.data)
        self.size = self._shared.size

    def unlink(self) -> None:
        """Removes the name; the memory stays as long as it is mapped."""
        self._shared.unlink()

    def numbers(self) -> np.ndarray:
        """Returns the whole segment as an int64 array."""
        return borrowed_bytes(self.memory(0, self.size)).view(np.int64)

    def memory(self, offset: int, size: int) -> Memory:
        """Returns the *size* bytes at *offset*."""
        return Memory(self, self.address + offset, size, (self.name, offset))

    def _back_with_pages(self, size: int) -> None:
        path = os.path.join("/dev/shm", self.name)
        if not os.path.exists(path) or not hasattr(os, "posix_fallocate"):
            return  # an operating system that keeps segments elsewhere
        handle = os.open(path, os.O_RDWR)
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError:
            self.unlink()
            raise
        finally:
            os.close(handle)


def _made(size: int) -> shared_memory.SharedMemory:
    """Creates a segment with a new name. The name is registered with the resource tracker before the segment exists;
    otherwise a program that is killed between the two would leave the segment in /dev/shm."""
    name = f"qc{os.getpid():x}_{secrets.token_hex(6)}"
    if os.name != "posix":
        return shared_memory.SharedMemory(name, create=True, size=size)
    from multiprocessing import resource_tracker

    resource_tracker.register(f"/{name}", "shared_memory")
    try:
        return shared_memory.SharedMemory(name, create=True, size=size)
    except BaseException:
        # Registered again first: some failures have unregistered it, and the tracker complains when an unknown name is
        # unregistered.
        resource_tracker.register(f"/{name}", "shared_memory")
        resource_tracker.unregister(f"/{name}", "shared_memory")
        raise


class Segments:
    """Makes blocks in shared memory, for examples of one spec."""

    def __init__(self, spec: ExampleSpec, made_at: str) -> None:
        self.spec = spec
        self._made_at = made_at
        self._blocks: Dict[int, int] = {}  # from the number of rows to the number of such blocks
        self._segments: List[Segment] = []
        self._free: Dict[int, Deque[Memory]] = {}

    def take(self, rows: int) -> Block:
        """Returns a block of *rows* rows. Not thread-safe: one caller at a time."""
        free = self._free.setdefault(rows, collections.deque())
        if not free:
            free.extend(self._made(rows))
        return Block(self.spec, rows, free.pop(), returns_to(free))

    def close(self) -> None:
        """Unlinks all segments. The workers must have ended."""
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
