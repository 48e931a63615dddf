"""``import queuecompat.v1 as tf``: TensorFlow 1's namespace, with queue pipelines compiled to tf.data.

It has everything of ``tensorflow.compat.v1``, and in addition queuecompat's input functions (``tf.train``),
readers and image ops, the input side of ``tf.contrib``, and old names that TensorFlow has dropped
(``tf.pack``, ``tf.image_summary``, ``tf.train.SummaryWriter``); ``queuecompat.api`` lists them all. Nothing else
is added and nothing is hidden. The error for a removed name (QC511) says what to use instead.

Importing this module turns TensorFlow 2 behaviour off, as TF1 code expects it: graphs and sessions,
reference variables, v1 control flow, and Keras 2 if the package ``tf_keras`` is installed. In a program that uses
TensorFlow 2's eager mode, eager execution stays on, with a warning (QC512), and the names work inside the input
functions that ``queuecompat.as_dataset`` calls. ``migration_guide/eager_programs.md`` has the rules.
For single functions without TF1's behaviour, see ``queuecompat.train``.
"""

from __future__ import annotations

import sys

from queuecompat._namespace import behaviour

# First, since settings that it makes must be in place when TensorFlow is imported.
behaviour.decide()

from queuecompat._namespace import modules  # noqa: E402

_root = modules.find("")
# From now on, the import system knows it as this package.
vars(_root).update({name: globals()[name] for name in ("__doc__", "__file__", "__loader__", "__path__", "__spec__")})
_root.__package__ = __name__
sys.modules[__name__] = _root
modules.offer()
