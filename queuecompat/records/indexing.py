"""``queuecompat index``: finds the records of files, keeps the index, and reports damaged files."""

from __future__ import annotations

import codecs
import os
import sys
from typing import Any, Optional, Sequence

from tqdm import tqdm

from queuecompat.plurals import counted
from queuecompat.records import index_files
from queuecompat.records.damage import BadRecordError, bad_record
from queuecompat.records.finding import COMPRESSED, FINDERS, is_compressed

__all__ = ["index", "search_bar"]

_PATIENCE = 2  # seconds until the bar is shown


class _Bar(tqdm):
    monitor_interval = 0  # seconds; disables tqdm's monitor thread, which would outlive the search

    def print_line(self, line: str, file: Any) -> None:
        """Prints *line*, above the bar if that is shown; tqdm's ``write`` would show the bar even during its delay."""
        if getattr(self, "last_print_t", 0) < getattr(self, "start_t", 0) + _PATIENCE:
            print(line, file=file)
        else:
            self.write(line, file=file)


def search_bar(total: int) -> Any:
    """Returns a progress bar on standard error for *total* bytes, which appears after two seconds."""
    return _Bar(total=total, unit="B", unit_scale=True, desc="finding records", delay=_PATIENCE)


def index(paths: Sequence[str], layout: str, *, cache: bool = False) -> int:
    """Indexes the files at *paths*.

    Args:
      layout: a key of ``FINDERS``.
      cache: whether indices are kept in the cache folder, not beside the files.
    Returns:
      The exit code: 0 if all files are intact; 1 if some are not, or an index cannot be written.
    """
    is_whole = True
    with search_bar(sum(os.path.getsize(path) for path in paths if os.path.exists(path))) as bar:
        for path in paths:
            problem = _index_one(path, layout, index_files.cache_folder() if cache else None, bar)
            if problem is not None:
                bar.print_line(f"{path}: {problem}", sys.stderr)
                is_whole = False
    return 0 if is_whole else 1


def _index_one(path: str, layout: str, folder: Optional[str], bar: Any) -> Optional[str]:
    """Prints the number of records in the file; returns what is wrong with it, or None."""
    try:
        index_file = index_files.index_path(path, folder)
        if layout == "TextLine" and _is_compressed(path):
            return _damage_text(bad_record(path, 0, COMPRESSED), 0)
        bounds = index_files.load(index_file, path, layout)
        if bounds is not None:
            bar.update(os.path.getsize(path))
        else:
            stamp = index_files.stamp_of(path, layout)
            bounds, problem = FINDERS[layout](path, bar.update)
            if problem is not None:
                is_of_lines = layout == "TFRecord" and len(bounds) == 1 and _begins_with_text(path)
                hint = "\n  it begins with text: pass --lines to index its lines" if is_of_lines else ""
                return _damage_text(problem, len(bounds) - 1) + hint
            index_files.store(path, stamp, bounds, folder)
    except OSError as problem_of_disk:
        elsewhere = problem_of_disk.filename or index_file
        return f"{problem_of_disk.strerror or problem_of_disk}" + (f": {elsewhere}" if elsewhere != path else "")
    bar.print_line(f"{path}: {counted(len(bounds) - 1, 'record')}", sys.stdout)
    return None


def _is_compressed(path: str) -> bool:
    """Whether the file at *path* is compressed; without this check, any bytes would pass as lines."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return is_compressed(file.read(2))


def _begins_with_text(path: str) -> bool:
    """Whether the file at *path* begins with text in UTF-8; no TFRecord file does, since its first length contains
    zeros."""
    with open(path, "rb") as file:
        begin = file.read(64)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(begin)  # its last character may be cut off
    except UnicodeDecodeError:
        return False
    return text != "" and all(one >= " " or one in "\t\n\r" for one in text)


def _damage_text(problem: BadRecordError, whole: int) -> str:
    return f"{problem}\n  complete records before it: {whole:,}"
