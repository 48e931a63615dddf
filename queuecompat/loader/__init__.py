"""Background loading for people who feed a model from Python: threads or processes, no TensorFlow graph.

The way of an example::

    walks.py       which item comes next: the order of a source over its epochs
    calls.py       ``load`` is called, with the item's own random numbers
    structures.py  what came out: a nesting of arrays
    blocks.py      the row of a batch that it is written into
    streams.py     items end in any order, and become batches in one order; mixing.py is the shuffle pool
    passes.py      the lock around all that: workers on one side, the consumer on the other; life.py is its table
    threads.py     workers that are threads
    background.py  ``BackgroundLoader``
"""
