"""``tf.contrib.graph_editor``: the functions that only read a graph: walks over ops, and ops and tensors by name.

The functions that change a graph (``graph_replace``, ``reroute_ts``, ``SubGraphView`` ...) are not available:
TensorFlow 2 has no public way to change one.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

_HERE = "queuecompat.contrib.graph_editor"
_FILES = {
    "select": (
        "filter_ops",
        "filter_ops_from_regex",
        "filter_ts",
        "filter_ts_from_regex",
        "get_backward_walk_ops",
        "get_forward_walk_ops",
        "get_name_scope_ops",
        "get_ops_ios",
        "get_walks_intersection_ops",
        "get_walks_union_ops",
    ),
    "util": (
        "ControlOutputs",
        "get_consuming_ops",
        "get_generating_ops",
        "get_tensors",
        "make_list_of_op",
        "make_list_of_t",
    ),
}
_PLACES = {name: f"{_HERE}.{file}:{name}" for file, names in _FILES.items() for name in names}
_PLACES.update({file: f"{_HERE}.{file}" for file in _FILES})
__all__ = sorted(_PLACES)


def _absent(name: str) -> str:
    return "there is no public way to edit graphs, or TensorFlow 1.15 had no such name"


__getattr__, __dir__ = lazily(__name__, _PLACES, _absent)
