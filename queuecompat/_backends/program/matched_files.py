"""What ``match_filenames_once`` returned -> the files that the program looks for itself.

A variable has a handle, which is of no use in another process; this one has no other value than the files that were
found when it was initialised.
"""

from __future__ import annotations

from typing import Any, Optional

from queuecompat._analysis.matched_files import patterns_of

__all__ = ["files_of"]


def files_of(handle: Any) -> Optional[str]:
    """An expression for the files in the variable of *handle*; None: something else may be in it."""
    patterns = patterns_of(handle)
    if patterns is None:
        return None
    # The op sorts what it found of all patterns together, and leaves a file twice if two of them match.
    return f"sorted(tf.io.gfile.glob({patterns[0] if len(patterns) == 1 else patterns!r}))"
