"""A program that writes what the functions of the catalogue deliver: ``elements.py WAY FILES DATA OUT``.

WAY is ``run``, where this is a program of TensorFlow 1 with sessions (``python -m queuecompat run elements.py run``),
or one of the ways of the catalogue, where it is one of TensorFlow 2. OUT gets the leaves of the elements as arrays, and
the errors, as texts under the places of their functions.
"""

import contextlib
import importlib
import os
import sys
import traceback

import numpy as np
import tensorflow as tf

# Of a pipeline without shuffling; it is compared in order.
STEPS = 2

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import catalogue  # noqa: E402


def of_a_session(function, arguments, steps):
    with tf.Graph().as_default():
        leaves = tf.contrib.framework.nest.flatten(function(*arguments))
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            found = []
            with contextlib.suppress(tf.errors.OutOfRangeError):
                while len(found) != steps:
                    found.append(session.run(leaves))
            coord.request_stop()
            coord.join(threads)
    return found


def of_a_dataset(function, arguments, steps):
    import queuecompat

    dataset = queuecompat.as_dataset(function, *arguments, strict=True)
    dataset = dataset if steps is None else dataset.take(steps)
    return [[np.asarray(leaf) for leaf in tf.nest.flatten(element)] for element in dataset.as_numpy_iterator()]


def plain(leaf):
    """Strings as NumPy's own, which a file can hold."""
    leaf = np.asarray(leaf)
    return leaf.astype("S") if leaf.dtype == object else leaf


def function_of(way, files, pipeline):
    import queuecompat

    if way == "loaded" and list(catalogue.PIPELINES).index(pipeline.place) % 2:
        return os.path.join(files, pipeline.module + ".py") + ":" + pipeline.function
    if way == "loaded":
        with queuecompat.tf1_imports():
            module = importlib.import_module(pipeline.module)
    else:
        module = importlib.import_module(pipeline.module)
    return getattr(module, pipeline.function)


def main(way, files, data, out):
    sys.path.insert(0, files)
    arrays = {}
    for place in catalogue.PIPELINES if way == "run" else catalogue.WAYS[way]:
        pipeline = catalogue.PIPELINES[place]
        elements = of_a_session if way == "run" else of_a_dataset
        try:
            found = elements(
                function_of(way, files, pipeline), pipeline.arguments(data), None if pipeline.is_shuffled else STEPS
            )
        except Exception:
            arrays[place] = np.array(traceback.format_exc())
            continue
        for step, leaves in enumerate(found):
            arrays.update({f"{place}/{step}/{number}": plain(leaf) for number, leaf in enumerate(leaves)})
    np.savez(out, **arrays)


main(*sys.argv[1:])
