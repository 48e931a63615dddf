"""The ways to rewrite a source: one module each, with a function from a source to ``Rewritten``.

A rewrite changes what it understands all through and leaves alone what it does not; applied to its own result it
changes nothing.
"""

from __future__ import annotations

from queuecompat.migrate.rewrites.as_dataset import as_dataset
from queuecompat.migrate.rewrites.tf_data import tf_data
from queuecompat.migrate.rewrites.v1 import v1

__all__ = ["WAYS"]

WAYS = {"as-dataset": as_dataset, "tf-data": tf_data, "v1": v1}
