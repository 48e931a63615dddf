"""How a code of ``codes.py`` reaches the user: the exceptions, the warnings, and the user's line.

Rule 1: a message says what, where, why, what instead. ``layout`` puts it together.
Rule 2: an exception is also of the type that TF1 raised at the same place, so that old
        ``except`` clauses go on working.

No TensorFlow here: the loader and the rewriter use this too.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import types
import warnings
from typing import Dict, Mapping, Optional, Type

import six

from queuecompat.codes import CODES

__all__ = [
    "CannotCompileError",
    "NativePipelineWarning",
    "QueueCompatError",
    "QueueCompatImportError",
    "QueueCompatRuntimeError",
    "QueueCompatTypeError",
    "QueueCompatValueError",
    "Reason",
    "call_on_behalf",
    "calling_line",
    "error",
    "is_internal",
    "layout",
    "missing",
    "shown_line",
    "warn_user",
]


class QueueCompatError(Exception):
    """Any error that this package finds by itself; ``code`` is its row in the table."""

    code: str = ""


class QueueCompatRuntimeError(QueueCompatError, RuntimeError):
    """The call came where no pipeline can be built; TF1's RuntimeError."""


class QueueCompatValueError(QueueCompatError, ValueError):
    """The same for batchers, where TensorFlow raises ValueError."""


class QueueCompatTypeError(QueueCompatError, TypeError):
    """A function where an op belongs, or an op where a function does."""


class QueueCompatImportError(QueueCompatError, ImportError):
    """A file cannot be imported as one of TensorFlow 1."""


class NativePipelineWarning(UserWarning):
    """A pipeline could not be compiled and runs on native queues; the text says why."""


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a stage is native: a code, its text, as ``explain()`` shows it, and what that says to do instead."""

    code: str
    text: str
    instead: str


class CannotCompileError(Exception):
    """Raised inside the compiler, caught at its border: the stage goes native for *reason*."""

    def __init__(self, code: str, **fields: object) -> None:
        self.code = code
        self.fields = fields
        super().__init__(code)

    def reason(self, stage: str, made_at: str) -> Reason:
        text = layout(self.code, made_at, stage=stage, **self.fields)
        return Reason(self.code, text, CODES[self.code].instead.format(**_texts(self.fields)))


def layout(code: str, made_at: Optional[str] = None, **fields: object) -> str:
    """The text of one code, in the four parts that every message has."""
    row = CODES[code]
    fields = _texts(fields)
    lines = [f"{code} {row.what.format(**fields)}"]
    if made_at:
        lines.append(f"  made at:  {made_at}")
    lines.append(f"  effect:   {row.effect}")
    lines.append(f"  instead:  {row.instead.format(**fields)}")
    lines.append(f"  see:      migration_guide/errors.md#{code.lower()}")
    return "\n".join(lines)


def _texts(fields: Mapping[str, object]) -> Dict[str, object]:
    # Programs from Python 2's days mix bytes and text in names.
    return {name: six.ensure_text(f) if isinstance(f, (bytes, str)) else f for name, f in fields.items()}


def error(kind: Type[QueueCompatError], code: str, **fields: object) -> QueueCompatError:
    """An exception of *kind* with the code's text, ready to raise."""
    exception = kind(layout(code, calling_line(), **fields))
    exception.code = code
    return exception


def missing(name: str, why: str, instead: str = "") -> str:
    """What the AttributeError or ImportError for TensorFlow 1's *name* says (QC511)."""
    return layout("QC511", calling_line(), name=name, why=why, instead=instead or _LISTED)


_LISTED = "use the name that migration_guide/coverage.md lists for it, or one of tensorflow.compat.v1"
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
# What TensorFlow wraps its functions in is there.
_DECORATORS = f"{os.sep}tensorflow{os.sep}python{os.sep}util{os.sep}"


def is_internal(path: str) -> bool:
    """Whether a source file is ours or TensorFlow's, and so no place to send a user to."""
    return path.startswith(_OURS) or f"{os.sep}tensorflow{os.sep}python{os.sep}" in path


def calling_line() -> str:
    """``file.py:line`` of the nearest frame of the user's."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "<unknown>"
    return shown_line(frame.f_code.co_filename, frame.f_lineno)


def shown_line(path: str, line: int) -> str:
    """``file.py:line``, as short as it can be said from the current folder."""
    return f"{os.path.relpath(path) if _is_below_here(path) else path}:{line}"


def call_on_behalf(thing: object) -> Optional[str]:
    """The call on the user's line that came to use *thing*, such as "TextLineReader.read()".

    Returns:
      None where it is a method of *thing* itself, or an attribute.
    """
    called: Optional[types.FrameType] = None
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and is_internal(frame.f_code.co_filename):
        if _DECORATORS not in frame.f_code.co_filename:
            called = frame
        frame = frame.f_back
    if called is None or called.f_locals.get("self") is thing:
        return None
    function = called.f_code.co_name
    if "self" not in called.f_locals:
        return f"{function}()"
    owner = type(called.f_locals["self"]).__name__
    return f"{owner}()" if function == "__init__" else f"{owner}.{function}()"


def warn_user(text: str, category: Type[Warning]) -> None:
    """``warnings.warn`` at the user's line."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    depth = 2
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)


def _is_below_here(path: str) -> bool:
    return os.path.abspath(path).startswith(os.getcwd() + os.sep)
