"""The progress bar of one pass, in examples."""

from __future__ import annotations

from typing import Any, Optional

from tqdm.auto import tqdm

__all__ = ["bar"]


class _Bar(tqdm):
    monitor_interval = 0  # seconds; tqdm's watching thread would outlive the pass


def bar(total: Optional[int], initial: int) -> Any:
    """A bar on standard error that *initial* of *total* examples have passed; a total of None is not known."""
    return _Bar(total=total, initial=initial, unit=" examples", unit_scale=True, desc="loading")
