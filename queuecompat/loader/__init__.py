"""Background loading for people who feed a model from Python: threads or processes, no TensorFlow graph.

The way of an example::

    sampler.py     which item comes next: the order of a source over its epochs; permutations.py, of very long ones
    calls.py       ``load`` is called, with the item's own random numbers
    structures.py  what came out: a nesting of arrays
    blocks.py      the row of a batch that it is written into
    streams.py     items end in any order, and become batches in one order; shuffle_buffer.py
    epoch_run.py   the lock around all that: workers on one side, the consumer on the other; lifecycle.py is its table
    thread_pool.py   workers that are threads
    process_pool.py  workers that are processes: worker_process.py, worker_main.py at the other end, messages.py
    background.py  ``BackgroundLoader``
"""
