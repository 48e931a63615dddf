"""What was chosen for a pipeline and is not done on TensorFlow's own queues: said at once, and in ``explain``."""

from __future__ import annotations

from typing import List, Tuple, Type

from queuecompat._plan.options import Options
from queuecompat.errors import NativePipelineWarning, RandomWarning, layout, warn_user

__all__ = ["tell_unskipped", "unskipped"]


def unskipped(name: str, made_at: str, chosen: Options) -> str:
    """What is said of the stage *name*, which TensorFlow's own queues run; empty: nothing."""
    return "\n".join(text for text, _ in _said(name, made_at, chosen))


def tell_unskipped(name: str, made_at: str, chosen: Options) -> str:
    """Warns, if there is something to say; returns that."""
    for text, kind in _said(name, made_at, chosen):
        warn_user(text, kind)
    return unskipped(name, made_at, chosen)


def _said(name: str, made_at: str, chosen: Options) -> List[Tuple[str, Type[Warning]]]:
    said: List[Tuple[str, Type[Warning]]] = []
    if chosen.on_error == "skip":
        said.append((layout("QC334", made_at, stage=name), NativePipelineWarning))
    if chosen.random is not None:
        why = "it runs on TensorFlow's own queues"
        said.append((layout("QC354", made_at, stage=name, why=why), RandomWarning))
    return said
