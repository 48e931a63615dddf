"""Parts shared by the workloads of photographs: a list of files, and batches of what a workload makes of each file.

Running the user's ops on batches is not faster here; keeping every core busy is.
"""

from __future__ import annotations

import pathlib
from typing import Any, Callable

from queuecompat import processors

from .workload import Workload

__all__ = ["BATCH_SIZE", "of_photographs"]

BATCH_SIZE = 32

# Of TensorFlow and the name of a file: the image of it.
_Image = Callable[[Any, Any], Any]


def of_photographs(
    summary: str,
    count: int,
    quick_count: int,
    load: Callable[[pathlib.Path, int], Any],
    image: _Image,
    best_image: _Image,
) -> Workload:
    """The workload that batches *image* of files and their labels.

    Args:
      load: returns the files and their labels.
      best_image: the same as *image*, as a person would write it who knows tf.data.
    """

    def queues(tf: Any, files: Any, *, num_threads: int, num_epochs: int | None) -> Any:
        name, label = tf.train.slice_input_producer(list(files), num_epochs=num_epochs)
        return tf.train.batch([image(tf, name), label], BATCH_SIZE, num_threads=num_threads, capacity=4 * BATCH_SIZE)

    def tf_data(tf: Any, files: Any, num_epochs: int | None) -> Any:
        examples = tf.data.Dataset.from_tensor_slices(files)
        examples = examples.shuffle(len(files[0])).repeat(num_epochs)
        examples = examples.map(lambda name, label: (image(tf, name), label), num_parallel_calls=tf.data.AUTOTUNE)
        return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)

    def best_tf_data(tf: Any, files: Any, num_epochs: int | None) -> Any:
        examples = tf.data.Dataset.from_tensor_slices(files)
        examples = examples.shuffle(len(files[0])).repeat(num_epochs)
        examples = examples.map(
            lambda name, label: (best_image(tf, name), label),
            num_parallel_calls=processors.usable(),
            deterministic=False,
        )
        options = tf.data.Options()
        options.autotune.enabled = False
        return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(2).with_options(options)

    return Workload(
        summary=summary,
        batch_size=BATCH_SIZE,
        count=count,
        quick_count=quick_count,
        load=load,
        queues=queues,
        tf_data=tf_data,
        best_tf_data=best_tf_data,
    )
