"""The values of ``--to``: each target is one module with a function from a source to ``Rewritten``.

A rewrite changes every occurrence of what it understands and leaves the rest alone. It is idempotent: applied to its
own result, it changes nothing.
"""

from __future__ import annotations

from queuecompat.migrate.rewrite.as_dataset import as_dataset
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.tf_data import tf_data

__all__ = ["TARGETS"]

TARGETS = {"as-dataset": as_dataset, "tf-data": tf_data, "v1": v1}
