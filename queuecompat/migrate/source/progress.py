"""The progress bar that counts files: shown only on a terminal and after a while, and removed at the end."""

from __future__ import annotations

import pathlib
from typing import Iterable, Union

from tqdm import tqdm

__all__ = ["Progress"]

DELAY = 2.0  # seconds; most runs finish sooner


class Progress(tqdm):
    """Iterates over *files* and counts them on standard error; call ``clear()`` before printing anything else."""

    monitor_interval = 0  # seconds; tqdm would start a thread

    def __init__(self, files: Iterable[Union[pathlib.Path, str]]) -> None:
        # None disables it if standard error is a file or a pipe.
        super().__init__(list(files), disable=None, delay=DELAY, leave=False, unit=" files", desc="reading")
