"""The queues, under TF1's names, in graphs and in eager mode.

::

    from queuecompat import queues
    queue = queues.PaddingFIFOQueue(32, [tf.int64], [[None]])

The four kinds are TensorFlow's own classes, the same objects as ``tf.queue.FIFOQueue`` and the others: they
behave as in TF 1.15.5, in eager mode too. Their blocking calls let other Python threads run;
``close(cancel_pending_enqueues=True)`` from any thread releases those that wait in ``enqueue`` or ``dequeue``.

Worth knowing (most of it is the same in TF1):

- ``PriorityQueue(capacity, types, shapes)``: the second argument is *types*, and *shapes* must be passed although
  its default is None. The first component of an element is its priority, an int64; the smallest comes first.
  *types* and *shapes* do not include the priority, *names* begin with a name for it.
- ``PriorityQueue.dequeue_up_to`` on a closed queue with fewer elements than requested raises
  ``tf.errors.OutOfRangeError`` and loses them. The other kinds return the remaining elements.
- ``close()`` without cancelling waits until the pending enqueues have found room; do not call it in the thread
  that dequeues. Closing a closed queue raises ``tf.errors.CancelledError``; cancelling one does not.
- ``enqueue_many([1, 2])`` means two components, which are scalars without rows; for two rows of one component
  write ``enqueue_many([[1, 2]])``.
- ``PaddingFIFOQueue`` pads in ``dequeue_many`` and ``dequeue_up_to``; ``dequeue`` returns the element unchanged.
- ``RandomShuffleQueue(seed=...)`` has the order of TF 1.15.5, in both modes. With only the global seed it does not.
- In eager mode a queue is destroyed with its Python object, and *shared_name* and *name* have no effect. ``QueueBase``
  here is TensorFlow's with a different ``from_list``, which returns the chosen queue itself: TensorFlow's returns a
  copy that destroys the queue when it is deleted.
- A thread that waits in ``dequeue`` reacts to Ctrl-C only when the wait ends, as in ``Session.run``.
"""

from __future__ import annotations

import tensorflow as tf

from queuecompat._eager.queues import QueueBase

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

FIFOQueue = tf.compat.v1.FIFOQueue
PaddingFIFOQueue = tf.compat.v1.PaddingFIFOQueue
PriorityQueue = tf.compat.v1.PriorityQueue
RandomShuffleQueue = tf.compat.v1.RandomShuffleQueue
