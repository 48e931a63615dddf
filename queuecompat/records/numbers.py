"""The numbers of records: one for each record of each epoch, the same in every process.

The number of a file's first record is a function of the number of the epoch and of the place of the file in the
program's list; the records after it have the numbers after it, and rows are numbered as the records of a first file.
Of files that are read as they are (compressed ones) the number of the first record follows from that of the file as a
row.
Multiples of two large odd numbers lie far from each other, so that no two records have the same one. An element that is
made of records of several producers has a number that follows from all of theirs, in the same way.
"""

from __future__ import annotations

__all__ = ["MASK", "OF_EPOCH", "OF_FILE", "OF_PRODUCER", "number_of"]

# As signed 64-bit integers: TensorFlow multiplies with them, too, and what is too large for 64 bits is lost there.
OF_EPOCH = 0x9E3779B97F4A7C15 - 2**64
OF_FILE = 0xC2B2AE3D27D4EB4F - 2**64
OF_PRODUCER = 0xBF58476D1CE4E5B9 - 2**64
# They stay positive, with room for the numbers of the records that follow.
MASK = 2**62 - 1


def number_of(epoch: int, file: int) -> int:
    """The number of the first record of the file at that place, in the epoch of that number."""
    return (epoch * OF_EPOCH + file * OF_FILE) & MASK
