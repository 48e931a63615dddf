"""Small files of bytes for the readers' cases, and a function that reads through them with one reader."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

from .harness import Result, failure, temporary_directory, without_directories

__all__ = ["read_all", "write_bytes", "write_files"]


def write_bytes(directory: str, name: str, content: bytes) -> str:
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def write_files(directory: str, contents: Dict[str, bytes]) -> List[str]:
    """A file for each of *contents*, and their paths in its order."""
    return [write_bytes(directory, name, content) for name, content in contents.items()]


def read_all(
    tf: Any,
    make_reader: Callable[[], Any],
    contents: Dict[str, bytes],
    num_epochs: int = 1,
    up_to: Optional[int] = None,
) -> Result:
    """Read the files *contents* to the end: ``0`` are the keys, ``1`` the values, as `failure` gives them.

    One record a step, or *up_to* so many.
    """
    with temporary_directory() as directory:

        def build() -> Any:
            paths = write_files(directory, contents)
            queue = tf.train.string_input_producer(paths, num_epochs=num_epochs, shuffle=False)
            reader = make_reader()
            return list(reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to))

        result = failure(tf, build)
    result["0"] = without_directories(result["0"])
    return result
