"""Which patterns a list of files was found by: that of ``match_filenames_once``, or of ``tf.matching_files``."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np
import tensorflow as tf

__all__ = ["NO_STRINGS", "patterns_of", "unmatched"]

# What TensorFlow 1 says of an empty list of files.
NO_STRINGS = "string_input_producer requires a non-null input tensor"

# What else may take the variable: nothing that could give it a second value, or hand it on.
_HARMLESS = ("Identity", "IsVariableInitialized", "ReadVariableOp", "VarIsInitializedOp")
_ASSIGNS = ("Assign", "AssignVariableOp")
_VARIABLES = ("VarHandleOp", "VariableV2")
# What may stand between a list and a test of its length.
_LOOKS = ("Assert", "Greater", "Identity", "ReadVariableOp", "Size")


def patterns_of(variable: Any) -> Optional[List[str]]:
    """The patterns of the files in *variable*, a handle or a reference; None: something else may be in it."""
    is_known = all(op.type in _HARMLESS or op.type in _ASSIGNS for op in variable.consumers())
    return _first_patterns(variable) if is_known else None


def unmatched(cause: str, test: Optional[tf.Operation]) -> List[str]:
    """The line of an error that says which patterns no file matches, if it has *cause* as *test* found no files."""
    patterns = _patterns_tested(test) if test is not None and NO_STRINGS in cause else None
    return [] if patterns is None else [f"  files:     none matches {', '.join(map(repr, patterns))}"]


def _patterns_tested(test: tf.Operation) -> Optional[List[str]]:
    """The patterns of the list of which *test* tests the length; None: they are not known."""
    op = test
    while op.type in _LOOKS and len(op.inputs):
        tensor = op.inputs[0]
        op = tensor.op
        if op.type in _VARIABLES:
            return _first_patterns(tensor)
    return _patterns(op.inputs[0]) if op.type == "MatchingFiles" else None


def _first_patterns(variable: Any) -> Optional[List[str]]:
    """The same, whatever else may take the variable."""
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
