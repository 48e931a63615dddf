"""A name of TensorFlow 1 that an installed library asked for, told in one message.

Installed libraries have the real TensorFlow: most of them are libraries of TensorFlow 2. One of TensorFlow 1 fails
where it asks for the first name that is gone; ``--tree`` makes it a part of the program.

Rule: an error decides, never a guess: only what TensorFlow has refused is looked at here.
"""

from __future__ import annotations

import os
import re
import traceback
from typing import Optional

from queuecompat._importing.tree import Tree, library_of
from queuecompat.errors import layout

__all__ = ["hint"]

# Packages of TensorFlow itself: TensorFlow 1's names do not help them.
_OWN = {"keras", "tensorboard", "tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras"}


def hint(problem: BaseException, tree: Tree) -> Optional[str]:
    """The message; None where *problem* is about something else.

    Args:
      tree: the program's own files.
    """
    if not _is_about_tensorflow(problem):
        return None
    for frame, line in reversed(list(traceback.walk_tb(problem.__traceback__))):
        file = frame.f_code.co_filename
        library = library_of(file)
        if library is not None and os.path.basename(library) in _OWN:
            continue  # TensorFlow's modules look for some of their names in Python
        if library is None or tree.has(file):
            return None
        return layout("QC402", library=os.path.basename(library), folder=library, file=file, line=line)
    return None


def _is_about_tensorflow(problem: BaseException) -> bool:
    if isinstance(problem, ImportError):
        return (problem.name or "").partition(".")[0] == "tensorflow"
    return isinstance(problem, AttributeError) and re.match(r"module 'tensorflow['.]", str(problem)) is not None
