"""``tf.contrib.summary``: what its ops write, and when."""

from __future__ import annotations

import glob
import os
from typing import Any

import numpy as np

from .harness import Result, gold, running, temporary_directory, words

__all__: list[str] = []


def _events(tf: Any, folder: str) -> Result:
    """The values in the event files of *folder*: their steps, tags, and numbers, where they are numbers."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.v2"))):
        for event in tf.train.summary_iterator(path):
            found += [(event.step, value) for value in event.summary.value]
    found.sort(key=lambda one: (one[0], one[1].tag))  # the ops of a step write in any order
    return {
        "steps": np.array([step for step, _ in found]),
        "tags": words([value.tag for _, value in found]),
        "kinds": words([value.WhichOneof("value") for _, value in found]),
        "values": np.array([value.simple_value for _, value in found]),
    }


@gold
def summaries_of_contrib_are_written_by_their_ops(tf: Any) -> Result:
    summary = tf.contrib.summary
    with temporary_directory() as folder, tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        (number,) = tf.train.slice_input_producer([np.arange(12, dtype=np.float32)], shuffle=False)
        batch = tf.train.batch([number], 2)
        writer = summary.create_file_writer(folder, flush_millis=10000)
        with writer.as_default(), summary.record_summaries_every_n_global_steps(2), tf.name_scope("input"):
            summary.scalar("mean", tf.reduce_mean(batch))
            summary.histogram("rows", batch, family="all")
            with summary.never_record_summaries():
                summary.scalar("never", 1.0)
            with summary.always_record_summaries():
                summary.scalar("always", 2.0, step=step * 10)
                summary.generic("text", tf.constant("words"))
        with tf.control_dependencies(summary.all_summary_ops()):
            train = tf.assign_add(step, 1)
        with writer.as_default(), running(tf) as sess:
            summary.initialize(session=sess)
            for _ in range(5):
                sess.run(train)
            sess.run(summary.flush())
        return _events(tf, folder)
