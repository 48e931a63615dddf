"""What ``tf.contrib`` had for input pipelines; TensorFlow 2 dropped all of it.

Reached as ``tf.contrib`` of ``queuecompat.v1``, or by itself::

    from queuecompat.contrib import slim, training
    lengths, batches = training.bucket_by_sequence_length(...)

Each folder and file has the name of TF 1.15's module, and its functions TF 1.15's signatures. What is
not there says where it went.
"""

from __future__ import annotations

from queuecompat._lazy import lazily
from queuecompat.contrib._gone import absent as _absent

__all__ = [
    "data",
    "eager",
    "framework",
    "image",
    "layers",
    "learn",
    "lookup",
    "metrics",
    "rnn",
    "slim",
    "staging",
    "training",
]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__}, _absent)
