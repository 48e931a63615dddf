"""Background loading for programs that feed a model from Python: threads or processes, no TensorFlow graph.

A *pass* is one ``for`` loop over a loader: *num_epochs* epochs. A *run* does the work of one pass.

The modules, in the order in which an example passes through them::

    arguments.py   checks the loader's arguments: settings.py, order_arguments.py, batch_arguments.py
    order/         decides which item comes next
    calls.py       calls ``load`` with the item's own random numbers: mapped.py, memory_cache.py
    workers/       the threads or processes in which ``load`` is called
    memory/        the memory of batches, into whose rows examples are written
    stream/        items finish in any order; their examples become batches in a fixed order
    run/           the lock around all of that: workers on one side, the consumer on the other
    batches.py     one pass as its consumer sees it: outputs.py, tensors.py; positions.py, place.py
    metrics/       measures where the time went
    background.py  ``BackgroundLoader``: extent.py says how much data there is, runs.py starts a run
    images/        ``ImageListLoader``

All errors that the loader raises are defined in failures.py.
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
