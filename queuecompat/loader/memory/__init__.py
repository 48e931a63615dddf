"""The memory of batches, and the examples that are written into it.

structures.py   the structure of examples: nestings of arrays, as ``load`` returns them
boxes.py        arrays of different shapes, which are kept as Python objects until a batch is complete
blocks.py       blocks of rows that workers write and consumers hold, in memory of this process
segments.py     blocks in memory that is shared between processes
pinned.py       blocks in pinned memory, from which a GPU copies
"""
