"""The progress bar of one pass, in examples."""

from __future__ import annotations

import warnings
from typing import Any, Optional

with warnings.catch_warnings():
    # In a notebook without ipywidgets tqdm warns, and shows a bar of text as in a terminal.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["bar"]


class _Bar(tqdm):
    monitor_interval = 0  # seconds; 0 disables tqdm's monitoring thread, which would outlive the pass


def bar(total: Optional[int], initial: int) -> Any:
    """Returns a bar on standard error that begins at *initial* of *total* examples; *total* is None if unknown."""
    return _Bar(total=total, initial=initial, unit=" examples", unit_scale=True, desc="loading")
