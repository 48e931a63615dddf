"""Warnings about options that were chosen for a pipeline but that TensorFlow's own queues ignore."""

from __future__ import annotations

from typing import List, Tuple, Type

from queuecompat._plan.options import Options
from queuecompat.errors import NativePipelineWarning, RandomWarning, layout, warn_user

__all__ = ["warn_ignored"]


def warn_ignored(name: str, made_at: str, chosen: Options) -> str:
    """Warns of the options in *chosen* that are ignored because the stage *name* runs on TensorFlow's own queues.

    Returns:
      The text of the warnings, for ``explain``; empty: there were none.
    """
    found = _ignored(name, made_at, chosen)
    for text, kind in found:
        warn_user(text, kind)
    return "\n".join(text for text, _ in found)


def _ignored(name: str, made_at: str, chosen: Options) -> List[Tuple[str, Type[Warning]]]:
    found: List[Tuple[str, Type[Warning]]] = []
    if chosen.on_error == "skip":
        found.append((layout("QC334", made_at, stage=name), NativePipelineWarning))
    if chosen.random is not None:
        why = "it runs on TensorFlow's own queues"
        found.append((layout("QC354", made_at, stage=name, why=why), RandomWarning))
    return found
