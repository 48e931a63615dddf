"""The queues, under TF1's names, in graphs and in eager mode.

::

    from queuecompat import queues
    queue = queues.PaddingFIFOQueue(32, [tf.int64], [[None]])

The four kinds are TensorFlow's own classes, the very same objects as ``tf.queue.FIFOQueue`` and the others: they
do today what they did in TF 1.15.5, and what they do in eager mode needs no help. Their blocking calls
let other Python threads run; ``close(cancel_pending_enqueues=True)`` from any thread frees those that wait
in ``enqueue`` or ``dequeue``.

Worth knowing, and so in TF1 as well:

- ``PriorityQueue(capacity, types, shapes)``: the second argument is *types*, and *shapes*, which has the default
  None, must be given all the same. An element begins with its priority, an int64; the smallest comes first.
  *types* and *shapes* leave the priority out, *names* begin with one for it.
- ``PriorityQueue.dequeue_up_to`` on a closed queue with fewer elements than asked for raises
  ``tf.errors.OutOfRangeError`` and loses them. The other kinds give what is left.
- A plain ``close()`` stands in line behind the enqueues that wait for room, and waits with them; do not call it
  in the thread that dequeues. Closing a closed queue is a ``tf.errors.CancelledError``; cancelling one is not.
- ``enqueue_many([1, 2])`` is two components without rows; the rows of one component are ``[[1, 2]]``.
- ``PaddingFIFOQueue`` pads in ``dequeue_many`` and ``dequeue_up_to``; ``dequeue`` gives the element as it is.
- ``RandomShuffleQueue(seed=...)`` draws TF 1.15.5's numbers, in both modes. The global seed alone does not.
- In eager mode a queue ends with its Python object, and *shared_name* and *name* mean nothing. ``QueueBase`` here
  is TensorFlow's with a ``from_list`` that respects that: it gives the chosen queue itself, and no copy that
  destroys the queue when it is dropped.
- A thread that waits in ``dequeue`` hears Ctrl-C when it wakes up: as in ``Session.run``.
"""

from __future__ import annotations

import tensorflow as tf

from queuecompat._runtime.eager_queues import QueueBase

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

FIFOQueue = tf.compat.v1.FIFOQueue
PaddingFIFOQueue = tf.compat.v1.PaddingFIFOQueue
PriorityQueue = tf.compat.v1.PriorityQueue
RandomShuffleQueue = tf.compat.v1.RandomShuffleQueue
