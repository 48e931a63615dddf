"""Hides TensorFlow's advice to replace queues by tf.data from users whose queues have been compiled to it."""

from __future__ import annotations

import contextlib
import logging
from typing import Iterator, Sequence

import tensorflow as tf

__all__ = ["hide_queue_deprecations", "without_queue_deprecations"]

_QUEUE_ADVICE = ("Queue-based input pipelines have been replaced by", "To construct input pipelines, use the")


def hide_queue_deprecations() -> None:
    """From now on, TensorFlow logs no deprecation notice about queues.

    TensorFlow would also log them for calls that it makes itself: a MonitoredTrainingSession starts queue runners.
    """
    logger = tf.get_logger()
    if _is_no_queue_advice not in logger.filters:
        logger.addFilter(_is_no_queue_advice)


def _is_no_queue_advice(record: logging.LogRecord) -> bool:
    # The first words are in every deprecation notice, _QUEUE_ADVICE only in those about queues.
    text = record.getMessage()
    return "is deprecated and will be removed" not in text or not any(words in text for words in _QUEUE_ADVICE)


@contextlib.contextmanager
def without_queue_deprecations(
    without: Sequence[str] = ("Queue-based input pipelines", "tf.data", "deprecated"),
) -> Iterator[None]:
    """Silences TensorFlow's messages with one of the words *without*, while this package calls queue functions."""

    def is_wanted(record: logging.LogRecord) -> bool:
        return not any(words in record.getMessage() for words in without)

    logger = tf.get_logger()
    logger.addFilter(is_wanted)
    try:
        yield
    finally:
        logger.removeFilter(is_wanted)
