"""What tf.data's own optimiser may do to our datasets: nothing.

It would put in prefetches and parallel calls that break TF1's bound on held elements and the order of seeded
random numbers. Options hold for what an iterator is made of: one that is made inside of another dataset's
function has to be told again.
"""

from __future__ import annotations

import tensorflow as tf

__all__ = ["without_tfdata_optimizer"]


def without_tfdata_optimizer(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """*dataset* without tf.data's own optimiser."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)
