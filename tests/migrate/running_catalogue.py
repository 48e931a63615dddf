"""Runs input functions of the catalogue, and prints what they deliver: ``python running_catalogue.py``.

In: a JSON object on the standard input, from names to their text, the call of the input function and the number of
batches. Out: one JSON line for each, with its batches; one of a graph is run in a session, under TensorFlow 1.15.5.

Python 3.7 runs it, too.
"""

import contextlib
import json
import sys

import numpy as np
import tensorflow as tf


def plain(value):
    """A batch without TensorFlow's types: each of its tensors as a list, strings as text."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return [plain(value[key]) for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return plain(np.asarray(value).tolist()) if hasattr(value, "dtype") else value


def from_queues(batch, count):
    """The batches of a graph; fewer where the data ends."""
    found = []
    with tf.compat.v1.Session() as sess:
        sess.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.local_variables_initializer()])
        sess.run(tf.compat.v1.tables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.compat.v1.train.start_queue_runners(sess, coord)
        try:
            for _ in range(count):
                found.append(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return found


def called(text, call):
    names = {}
    with contextlib.redirect_stdout(sys.stderr):
        exec(compile(text, "inputs.py", "exec"), names)
        return eval(call, names)


def batches(text, call, count):
    if not tf.executing_eagerly():
        with tf.Graph().as_default():
            return plain(from_queues(called(text, call), count))
    dataset = called(text, call)
    assert isinstance(dataset, tf.data.Dataset), dataset
    return plain(list(dataset.take(count).as_numpy_iterator()))


def main():
    for name, (text, call, count) in sorted(json.load(sys.stdin).items()):
        try:
            found = batches(text, call, count)
        except Exception as error:  # the test of this one says it
            found = f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps([name, found]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
