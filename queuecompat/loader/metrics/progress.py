"""The progress bar of one pass, in examples."""

from __future__ import annotations

import warnings
from typing import Any, Optional

with warnings.catch_warnings():
    # In a notebook without ipywidgets it warns, and is the bar of text that it is in a terminal.
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["bar"]


class _Bar(tqdm):
    monitor_interval = 0  # seconds; tqdm's watching thread would outlive the pass


def bar(total: Optional[int], initial: int) -> Any:
    """A bar on standard error that *initial* of *total* examples have passed; a total of None is not known."""
    return _Bar(total=total, initial=initial, unit=" examples", unit_scale=True, desc="loading")
