"""``import queuecompat.v1 as tf``: TensorFlow 1's namespace, with queue pipelines compiled to tf.data.

Everything of ``tensorflow.compat.v1`` is here under its own name. On top of it are queuecompat's input
functions (``tf.train``), readers and image ops, ``tf.contrib``'s input side, and old names that TensorFlow
has dropped since (``tf.pack``, ``tf.image_summary``, ``tf.train.SummaryWriter``); ``queuecompat.api`` lists them
all. Nothing else is added and nothing is hidden. A name that is nowhere says what to use instead.

Importing this module turns TensorFlow 2 behaviour off, as TF1 code expects it: graphs and sessions,
reference variables, v1 control flow, and Keras 2 where the package ``tf_keras`` is installed. For single
functions without that, see ``queuecompat.train``.
"""

from __future__ import annotations

import importlib.util
import os
import sys

if importlib.util.find_spec("tf_keras") is not None:
    # TF1's tf.keras, tf.layers and tf.nn.rnn_cell are Keras 2; TensorFlow asks this at the first use of Keras.
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import tensorflow.compat.v1 as _tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat.v1 import _logging, _names, _submodules
from queuecompat.v1._overlay import Overlay

with without_queue_deprecations():
    _tf.disable_v2_behavior()

_here = sys.modules[__name__]
_here.__class__ = Overlay
_here.lay(
    _tf,
    "tensorflow.compat.v1",
    {**_names.OURS[""], **{path: f"queuecompat.v1.{path}" for path in _names.OURS if path and "." not in path}},
    _names.GONE[""],
)
_submodules.offer()
_logging.print_once()
