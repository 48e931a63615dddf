"""The parts of ``tf.contrib`` for input pipelines, which TensorFlow 2 removed.

Use it as ``tf.contrib`` of ``queuecompat.v1``, or import it directly::

    from queuecompat.contrib import slim, training
    lengths, batches = training.bucket_by_sequence_length(...)

Each folder and file has the name of TF 1.15's module, and the functions have TF 1.15's signatures. The error for
a missing name says what to use instead.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = [
    "cluster_resolver",
    "crf",
    "data",
    "distributions",
    "eager",
    "estimator",
    "feature_column",
    "framework",
    "graph_editor",
    "image",
    "keras",
    "layers",
    "learn",
    "legacy_seq2seq",
    "lookup",
    "losses",
    "metrics",
    "opt",
    "proto",
    "rnn",
    "seq2seq",
    "signal",
    "slim",
    "staging",
    "stateless",
    "summary",
    "tensorboard",
    "tfprof",
    "tpu",
    "training",
    "util",
]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__})
