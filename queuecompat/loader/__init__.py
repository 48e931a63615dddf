"""Background loading for people who feed a model from Python: threads or processes, no TensorFlow graph.

The way of an example, and where each part of it is::

    arguments.py   what a loader was asked for, checked: settings.py, order_arguments.py, batch_arguments.py
    order/         which item comes next
    calls.py       ``load`` is called, with the item's own random numbers: mapped.py, memory_cache.py
    workers/       by threads or processes
    memory/        into the row of a batch
    stream/        items end in any order, and become batches in one order
    run/           the lock around all that: workers on one side, the consumer on the other
    batches.py     one pass as its consumer sees it: outputs.py, tensors.py; positions.py
    metrics/       where the time went
    background.py  ``BackgroundLoader``: extent.py how much data that is, runs.py from its arguments to a run
    images/        ``ImageListLoader``

A failure of any of it is one of failures.py.
"""

from queuecompat._lazy import lazily

__getattr__, __dir__ = lazily(
    __name__,
    {
        "MemoryCache": "queuecompat.loader.memory_cache:MemoryCache",
        "balanced_weights": "queuecompat.loader.order.order:balanced_weights",
        "stage": "queuecompat.loader.metrics.stages:stage",
    },
    absent=lambda name: f"module 'queuecompat.loader' has no attribute '{name}'",
)
