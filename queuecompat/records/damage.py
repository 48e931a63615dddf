"""The error of a damaged file of records."""

from __future__ import annotations

from typing import Any, Tuple

from queuecompat.errors import QueueCompatValueError, error_at

__all__ = ["BadRecordError", "bad_record"]


class BadRecordError(QueueCompatValueError):
    """A record, or a file of records, is damaged (QC641).

    Attributes:
      path: the path of the file.
      offset: where the record begins, in bytes.
    """

    path: str = ""
    offset: int = 0

    def __reduce__(self) -> Tuple[Any, ...]:
        # Keeps the attributes when the error is passed on from a worker process.
        return type(self), self.args, {"path": self.path, "offset": self.offset, "code": self.code}


def bad_record(path: str, offset: int, why: str) -> BadRecordError:
    error = error_at(BadRecordError, "QC641", None, path=path, offset=offset, why=why)
    error.path, error.offset = path, offset
    return error
