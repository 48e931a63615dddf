"""``tf.contrib.summary``, the first form of TensorFlow 2's ``tf.summary``: in graphs, each call is an op that writes.

TensorFlow 2 still contains it, for the estimators of TPUs, without a public name.
"""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_FUNCTIONS = (
    "always_record_summaries", "audio", "create_file_writer", "create_summary_file_writer", "eval_dir", "generic",
    "histogram", "image", "import_event", "never_record_summaries", "record_summaries_every_n_global_steps", "scalar",
    "summary_writer_initializer_op",
)  # fmt: skip
_PRIVATE = {
    **{name: name for name in _FUNCTIONS},
    "flush": "legacy_raw_flush",
    "graph": "graph_v1",
    "should_record_summaries": "_legacy_contrib_should_record_summaries",
}
_PLACES = {
    **{name: f"tensorflow.python.ops.summary_ops_v2:{old}" for name, old in _PRIVATE.items()},
    "SummaryWriter": "summary.SummaryWriter",
    "all_summary_ops": "compat.v1.summary.all_v2_summary_ops",
    "initialize": "compat.v1.summary.initialize",
}

__all__ = sorted(_PLACES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
