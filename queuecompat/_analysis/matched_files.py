"""Finds the glob patterns that a list of files came from, by ``match_filenames_once`` or ``tf.matching_files``."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np
import tensorflow as tf

__all__ = ["NO_STRINGS", "patterns_of", "unmatched"]

# TensorFlow 1's error message for an empty list of files.
NO_STRINGS = "string_input_producer requires a non-null input tensor"

# Other consumers that the variable may have: they neither assign to it nor pass it on.
_ONLY_READ = ("Identity", "IsVariableInitialized", "ReadVariableOp", "VarIsInitializedOp")
_ASSIGNS = ("Assign", "AssignVariableOp")
_VARIABLES = ("VarHandleOp", "VariableV2")
# Ops that may stand between a list and the test of its length.
_LOOKS = ("Assert", "Greater", "Identity", "ReadVariableOp", "Size")


def patterns_of(variable: Any) -> Optional[List[str]]:
    """Returns the patterns of the files in *variable*, a handle or a reference; None if it may hold something else."""
    is_known = all(op.type in _ONLY_READ or op.type in _ASSIGNS for op in variable.consumers())
    return _first_patterns(variable) if is_known else None


def unmatched(cause: str, test: Optional[tf.Operation]) -> List[str]:
    """Returns a line for an error whose *cause* is that *test* found no files: the patterns that match none."""
    patterns = _patterns_tested(test) if test is not None and NO_STRINGS in cause else None
    return [] if patterns is None else [f"  files:     none matches {', '.join(map(repr, patterns))}"]


def _patterns_tested(test: tf.Operation) -> Optional[List[str]]:
    """Returns the patterns of the list whose length *test* tests; None if they are not known."""
    op = test
    while op.type in _LOOKS and len(op.inputs):
        tensor = op.inputs[0]
        op = tensor.op
        if op.type in _VARIABLES:
            return _first_patterns(tensor)
    return _patterns(op.inputs[0]) if op.type == "MatchingFiles" else None


def _first_patterns(variable: Any) -> Optional[List[str]]:
    """Returns the patterns of the first assignment to *variable*, whatever its other consumers; None if not known."""
    assigns = [op for op in variable.consumers() if op.type in _ASSIGNS]
    if variable.op.type not in _VARIABLES or len(assigns) != 1:
        return None
    found = assigns[0].inputs[1].op
    while found.type == "Identity":
        found = found.inputs[0].op
    return _patterns(found.inputs[0]) if found.type == "MatchingFiles" else None


def _patterns(tensor: Any) -> Optional[List[str]]:
    value = tf.get_static_value(tensor)
    try:
        return None if value is None else [one.decode() for one in np.ravel(value)]
    except UnicodeDecodeError:
        return None
