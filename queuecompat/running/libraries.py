"""Explains, in one message, the error of an installed library that uses a name of TensorFlow 1.

Installed libraries get the real TensorFlow, since most of them are written for TensorFlow 2. A library that is written
for TensorFlow 1 fails at the first name that was removed; ``--tree`` makes it a part of the program.

Rule: Only an error that TensorFlow has raised is examined; nothing is guessed.
"""

from __future__ import annotations

import os
import re
import traceback
from typing import Optional

from queuecompat._importing.tree import Tree, library_of
from queuecompat.errors import layout

__all__ = ["hint"]

# Packages that are part of TensorFlow: TensorFlow 1's names do not help them.
_OWN = {"keras", "tensorboard", "tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras"}


def hint(problem: BaseException, tree: Tree) -> Optional[str]:
    """Returns the message; None if *problem* is about something else.

    Args:
      tree: the program's own files.
    """
    if not _is_about_tensorflow(problem):
        return None
    for frame, line in reversed(list(traceback.walk_tb(problem.__traceback__))):
        file = frame.f_code.co_filename
        library = library_of(file)
        if library is not None and os.path.basename(library) in _OWN:
            continue  # some of TensorFlow's modules look up names in Python code
        if library is None or tree.has(file):
            return None
        return layout("QC402", library=os.path.basename(library), folder=library, file=file, line=line)
    return None


def _is_about_tensorflow(problem: BaseException) -> bool:
    if isinstance(problem, ImportError):
        return (problem.name or "").partition(".")[0] == "tensorflow"
    return isinstance(problem, AttributeError) and re.match(r"module 'tensorflow['.]", str(problem)) is not None
