"""Makes each line of ``tf.logging`` appear only once.

TensorFlow's logger prints to standard error by a handler of its own, and also passes each record to the root logger. It
omits its own handler if the root logger already has one, but checks that only while it is imported. So a program that
calls ``logging.basicConfig`` later gets every line twice, and so does one that ``tf.app.run`` starts, since Abseil then
adds a handler to the root logger.

Rule: If the program has set up a handler, that one prints (with its format and level). Otherwise TensorFlow's own
handler prints its records, in the format of TF1, and Abseil's prints all others.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, List, Optional

import tensorflow.compat.v1 as _tf

__all__ = ["print_once"]


def print_once() -> None:
    """Adds filters to TensorFlow's own handler, and to Abseil's."""
    own = _own_handler()
    if own is None:
        return
    own.addFilter(lambda record: not _root_prints(record))
    abseil = _abseil()
    if abseil is not None:
        # Only records that it would print to the screen are filtered; its log files get everything.
        abseil.addFilter(
            lambda record: (
                not (_is_tensorflows(record) and _is_on_screen(abseil.python_handler) and _prints(own, record))
            )
        )


def _own_handler() -> Optional[logging.Handler]:
    """Returns the handler that TensorFlow made when it was imported; None if the root logger had one."""
    handlers = (handler for handler in _tf.get_logger().handlers if type(handler) is logging.StreamHandler)
    return next((handler for handler in handlers if _is_on_screen(handler)), None)


def _root_prints(record: logging.LogRecord) -> bool:
    """Whether a handler of the root logger, other than Abseil's, shows *record* on the screen."""
    if not _tf.get_logger().propagate:
        return False
    abseil = _abseil()
    return any(
        handler is not abseil and _is_on_screen(handler) and handler.level <= record.levelno
        for handler in logging.getLogger().handlers
    )


def _prints(own: logging.Handler, record: logging.LogRecord) -> bool:
    is_there = own in _tf.get_logger().handlers
    return is_there and own.level <= record.levelno and not _root_prints(record)


def _is_tensorflows(record: logging.LogRecord) -> bool:
    return record.name == _tf.get_logger().name


def _is_on_screen(handler: Any) -> bool:
    screens: List[Any] = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    return isinstance(handler, logging.StreamHandler) and handler.stream in screens


def _abseil() -> Any:
    """Returns Abseil's handler for the root logger; None without Abseil."""
    try:
        from absl import logging as abseil
    except ImportError:
        return None
    return abseil.get_absl_handler()
