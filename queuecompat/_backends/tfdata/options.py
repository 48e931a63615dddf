"""Turns tf.data's own optimiser off for our datasets.

It would insert prefetches and parallel calls that break TF1's bound on the elements held and the order of seeded random
numbers. The options of a dataset apply to the iterators made of it; a dataset from which an iterator is made inside a
function of another dataset needs them, too.
"""

from __future__ import annotations

import tensorflow as tf

__all__ = ["without_tfdata_optimizer"]


def without_tfdata_optimizer(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """*dataset*, not changed by tf.data's own optimiser."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)
