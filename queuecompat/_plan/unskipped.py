"""Pipelines for which ``on_error="skip"`` was chosen, and that cannot skip: said at once, and in ``explain``."""

from __future__ import annotations

from queuecompat._plan.options import Options
from queuecompat.errors import NativePipelineWarning, layout, warn_user

__all__ = ["tell_unskipped", "unskipped"]


def unskipped(name: str, made_at: str, chosen: Options) -> str:
    """What is said of the stage *name*, which TensorFlow's own queues run; empty: nothing."""
    return layout("QC334", made_at, stage=name) if chosen.on_error == "skip" else ""


def tell_unskipped(name: str, made_at: str, chosen: Options) -> str:
    """Warns, if there is something to say; returns that."""
    text = unskipped(name, made_at, chosen)
    if text:
        warn_user(text, NativePipelineWarning)
    return text
