"""Background loading for people who feed a model from Python: threads or processes, no TensorFlow graph.

The way of an example::

    sampler.py     which item comes next; order.py: the indices of an epoch; permutations.py: very long orders
    calls.py       ``load`` is called, with the item's own random numbers
    structures.py  what came out: a nesting of arrays
    blocks.py      the row of a batch that it is written into
    streams.py     items end in any order, and become batches in one order; shuffle_buffer.py, delay_line.py
                   examples.py, limits.py: what it is made of, and how much of that there may be
    finishing.py   what is done with a batch that is complete: boxes.py, outputs.py; buckets.py: which examples make one
    epoch_run.py   the lock around all that: workers on one side, the consumer on the other; lifecycle.py is its table
                   rows.py, spec_check.py: where an example goes, and whether it is like the others; patience.py
    thread_pool.py   workers that are threads
    process_pool.py  workers that are processes: worker_process.py, worker_main.py at the other end, messages.py
    arguments.py   what a loader was asked for, checked: settings.py, order_arguments.py, batch_arguments.py
    extent.py      how much data that is, as far as it is known
    memory_cache.py  what ``load`` may keep of earlier epochs
    stages.py      where workers' time goes: statistics.py, timeline.py
    pools.py, runs.py  the workers of a pass, and its run
    background.py  ``BackgroundLoader``
"""

from queuecompat._lazy import lazily

__getattr__, __dir__ = lazily(
    __name__,
    {
        "MemoryCache": "queuecompat.loader.memory_cache:MemoryCache",
        "balanced_weights": "queuecompat.loader.order:balanced_weights",
        "stage": "queuecompat.loader.stages:stage",
    },
    absent=lambda name: f"module 'queuecompat.loader' has no attribute '{name}'",
)
