"""The memory of batches, and what is written into it.

structures.py   what ``load`` returned: a nesting of arrays
boxes.py        arrays of different shapes, which travel as Python objects
blocks.py       the rows of batches that workers write into and that consumers hold
segments.py     the same, shared between processes
pinned.py       the same, where a GPU copies from
"""
