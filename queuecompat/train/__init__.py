"""The input functions of ``tf.train``, compiled to tf.data. Signatures and results are TF1's.

A drop-in for programs that keep their own TensorFlow import::

    from queuecompat import train
    queue = train.string_input_producer(files)

They need a graph: under eager execution each raises QC101. In programs that import
``queuecompat.v1 as tf`` they are ``tf.train`` already.

Queue runners and coordinators also work in eager mode, with functions in place of enqueue ops::

    queue = queues.FIFOQueue(32, [tf.float32, tf.int64], shapes=[[28, 28], []])
    train.add_queue_runner(train.QueueRunner(queue, [lambda: queue.enqueue(load())] * 2))

    coord = train.Coordinator()
    threads = train.start_queue_runners(coord=coord)
    try:
        while not coord.should_stop():
            images, labels = queue.dequeue_many(128)
    except tf.errors.OutOfRangeError:  # load() raised it, or StopIteration: no more data
        pass
    finally:
        coord.request_stop()
        coord.join(threads)
"""

from __future__ import annotations

from queuecompat.train.batchers import (
    batch,
    batch_join,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from queuecompat.train.epochs import limit_epochs, match_filenames_once
from queuecompat.train.producers import (
    input_producer,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from queuecompat.train.runners import Coordinator, LooperThread, QueueRunner, add_queue_runner, start_queue_runners
from queuecompat.train.saved_graphs import import_meta_graph
from queuecompat.train.supervisor import Supervisor

__all__ = [
    "Coordinator",
    "LooperThread",
    "QueueRunner",
    "Supervisor",
    "add_queue_runner",
    "batch",
    "batch_join",
    "import_meta_graph",
    "input_producer",
    "limit_epochs",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "range_input_producer",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
]
