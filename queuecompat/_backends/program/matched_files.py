"""What ``match_filenames_once`` returned -> the files that the program looks for itself.

A variable has a handle, which is of no use in another process; this one has no other value than the files that were
found when it was initialised.
"""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np
import tensorflow as tf

__all__ = ["files_of"]

# What else may take the handle: nothing that could give the variable a second value, or hand the handle on.
_HARMLESS = ("ReadVariableOp", "VarIsInitializedOp")


def files_of(handle: Any) -> Optional[str]:
    """An expression for the files in the variable of *handle*; None: something else may be in it."""
    users = [op for op in handle.consumers() if op.type not in _HARMLESS]
    if handle.op.type != "VarHandleOp" or [op.type for op in users] != ["AssignVariableOp"]:
        return None
    found = users[0].inputs[1].op
    while found.type == "Identity":
        found = found.inputs[0].op
    patterns = _patterns(found.inputs[0]) if found.type == "MatchingFiles" else None
    if patterns is None:
        return None
    # The op sorts what it found of all patterns together, and leaves a file twice if two of them match.
    return f"sorted(tf.io.gfile.glob({patterns[0] if len(patterns) == 1 else patterns!r}))"


def _patterns(tensor: Any) -> Optional[List[str]]:
    value = tf.get_static_value(tensor)
    try:
        return None if value is None else [one.decode() for one in np.ravel(value)]
    except UnicodeDecodeError:
        return None
