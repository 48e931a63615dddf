"""Functions of ``tf.train`` for the inputs of producers: a limit for reading a tensor, and the names of files."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat._native.reference import native
from queuecompat._session.entry import require_graph

__all__ = [
    "limit_epochs",
    "match_filenames_once",
]


def limit_epochs(tensor: Any, num_epochs: Optional[int] = None, name: Optional[str] = None) -> Any:
    """*tensor*, which can be read *num_epochs* times.

    Args:
      tensor: any tensor. In a producer, it limits the number of epochs.
      num_epochs: None: no limit, and *tensor* itself is returned.
      name: name scope of the ops.
    Returns:
      A tensor like *tensor*. Its count is a variable in ``LOCAL_VARIABLES``: run
      ``local_variables_initializer`` first.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, the limit is reached.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("limit_epochs")
    return native("limit_epochs", tensor, num_epochs, name)


def match_filenames_once(pattern: Any, name: Optional[str] = None) -> tf.Variable:
    """The names of the files that match *pattern*, looked up once, when local variables are initialised.

    Args:
      pattern: string or list of strings, with ``*``, ``?`` and ``[]`` in the last part of the path.
      name: name scope of the ops.
    Returns:
      A local variable ``[files]`` of sorted names; ``string_input_producer`` takes it.
    Raises:
      RuntimeError: QC101, QC102, QC302.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("match_filenames_once")
    return native("match_filenames_once", pattern, name)
