"""Numbers for records: one for each record of each epoch, the same in every process.

The number of a file's first record is a function of the epoch's number and the file's position in the program's list.
The following records have the following numbers. Rows are numbered like the records of a first file. In files that are
read without an index (compressed ones) the number of the first record follows from the number of the file as a row.
The numbers are made with multiples of two large odd numbers, which are so far apart that no two records have the same
number. An element that is made of records of several producers has a number that follows from all of their numbers in
the same way.
"""

from __future__ import annotations

__all__ = ["MASK", "OF_EPOCH", "OF_FILE", "OF_PRODUCER", "number_of"]

# As signed 64-bit integers, because TensorFlow multiplies with them, too; overflow is discarded there.
OF_EPOCH = 0x9E3779B97F4A7C15 - 2**64
OF_FILE = 0xC2B2AE3D27D4EB4F - 2**64
OF_PRODUCER = 0xBF58476D1CE4E5B9 - 2**64
# Keeps the numbers positive, with room for the numbers of the following records.
MASK = 2**62 - 1


def number_of(epoch: int, file: int) -> int:
    """Returns the number of the first record of the file at position *file*, in epoch *epoch*."""
    return (epoch * OF_EPOCH + file * OF_FILE) & MASK
