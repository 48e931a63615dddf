"""The exceptions and warnings that show a code of ``codes`` to the user, with the user's source line.

Rule 1: A message says what happened, where, the effect, and what to do instead. ``layout`` formats it.
Rule 2: An exception is also of the type that TF1 raised at the same place, so that existing ``except`` clauses continue
        to work.

No TensorFlow here: the loader and the rewriter use this module, too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import runpy
import sys
import types
import warnings
from typing import Any, Dict, Mapping, Optional, Type, TypeVar

import six

from queuecompat.codes import CODES

__all__ = [
    "EXPLAIN",
    "CacheWarning",
    "CannotCompileError",
    "DataServiceWarning",
    "NativePipelineWarning",
    "OrderWarning",
    "QueueCompatError",
    "QueueCompatImportError",
    "QueueCompatRuntimeError",
    "QueueCompatTypeError",
    "QueueCompatValueError",
    "RandomWarning",
    "Reason",
    "RestartWarning",
    "at_line",
    "call_on_behalf",
    "calling_line",
    "error",
    "error_at",
    "is_internal",
    "layout",
    "line_of",
    "missing",
    "no_attribute",
    "shown_line",
    "warn_user",
]

# The command that explains a code. Each message ends with it and the code.
EXPLAIN = "python -m queuecompat explain"


class QueueCompatError(Exception):
    """Base class of the errors that this package itself raises.

    Catch it to handle all of them. Errors of TensorFlow, and of the user's own code, keep their types.

    Attributes:
      code: the QC code, such as "QC101": a heading in ``migration_guide/errors.md``. Empty if the error was
        raised without a code.
    """

    code: str = ""
    _fields: Mapping[str, object] = {}


class QueueCompatRuntimeError(QueueCompatError, RuntimeError):
    """A pipeline cannot be built or used here.

    Raised by producers, readers and most other functions under eager execution (QC101), inside a
    ``tf.function`` (QC102) and in a finalized graph (QC302); for a new consumer after the start (QC304); in
    strict mode for what cannot be compiled (QC305); by ``as_dataset`` outside of eager execution (QC501); and in a
    worker process that would start workers (QC614). It is also a RuntimeError, as TF1's error was.
    """


class QueueCompatValueError(QueueCompatError, ValueError):
    """A batcher cannot be built here, or an argument has a wrong value.

    Raised by batchers under eager execution (QC101) and inside a ``tf.function`` (QC102), where TensorFlow
    raises ValueError too; for what an input function of ``as_dataset`` returns or uses (QC503, QC504, QC507, QC508); by
    ``dataset_from_meta_graph`` (QC517 to QC523); by ``explain`` for a pipeline that cannot be written as a program
    (QC505); and by the loaders for their arguments and sources (QC601 to QC630).
    """


class QueueCompatTypeError(QueueCompatError, TypeError):
    """An argument has a wrong type.

    Raised by ``QueueRunner`` for an op in eager mode (QC103) and for a Python function in a graph (QC104), by
    ``as_dataset`` for an input function that does not return tensors (QC502), by ``explain`` (QC506), and by the
    loaders (QC601 to QC623).
    """


class QueueCompatImportError(QueueCompatError, ImportError):
    """A file cannot be imported as a TensorFlow 1 file."""


class NativePipelineWarning(UserWarning):
    """A pipeline cannot be compiled and runs on TensorFlow's own queues; the text has the code, the line and the fix.

    To make it an error: ``warnings.simplefilter("error", NativePipelineWarning)``.
    """


class CacheWarning(UserWarning):
    """A cache was chosen for a pipeline of which nothing can be cached (QC340)."""


class OrderWarning(UserWarning):
    """A pipeline is not in the order that was chosen for it (QC331); the text says why."""


class RestartWarning(UserWarning):
    """A restored program does not continue exactly where it was saved (QC350 to QC353); the text says why."""


class RandomWarning(UserWarning):
    """The random numbers of a pipeline do not depend on its records as requested (QC354); the text says why."""


class DataServiceWarning(UserWarning):
    """A tf.data service was chosen for a pipeline, but this process computes it (QC360); the text says why."""


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a stage runs on TensorFlow's own queues.

    Attributes:
      code: the QC code.
      text: the whole message, as ``explain()`` shows it.
      instead: the part of the message that says what to do instead.
    """

    code: str
    text: str
    instead: str


class CannotCompileError(Exception):
    """Raised inside the compiler and caught there: the stage then runs on TensorFlow's own queues.

    Args:
      code: the QC code.
      fields: values for the fields in braces of the code's texts.
    """

    def __init__(self, code: str, **fields: object) -> None:
        self.code = code
        self.fields = fields
        super().__init__(code)

    def reason(self, stage: str, made_at: str) -> Reason:
        text = layout(self.code, made_at, stage=stage, **self.fields)
        return Reason(self.code, text, CODES[self.code].instead.format(**_texts(self.fields)))


def layout(code: str, made_at: Optional[str] = None, **fields: object) -> str:
    """Returns the message of a code: what happened, where, the effect, and what to do instead.

    Args:
      code: the QC code.
      made_at: the user's ``file.py:line``. It is left out if it is None, or "<unknown>" because no line of the user's
        led here.
      fields: values for the fields in braces of the code's texts.
    """
    row = CODES[code]
    fields = _texts(fields)
    lines = [f"{code} {row.what.format(**fields)}"]
    if made_at and made_at != _NO_LINE:
        lines.append(f"  made at:  {made_at}")
    lines.append(f"  effect:   {row.effect}")
    lines.append(f"  instead:  {row.instead.format(**fields)}")
    lines.append(f"  see:      {EXPLAIN} {code}")
    return "\n".join(lines)


def _texts(fields: Mapping[str, object]) -> Dict[str, object]:
    # Names in programs that were written for Python 2 may be bytes or text.
    return {name: six.ensure_text(f) if isinstance(f, (bytes, str)) else f for name, f in fields.items()}


_Error = TypeVar("_Error", bound=QueueCompatError)


def error(kind: Type[_Error], code: str, /, **fields: object) -> _Error:
    """Returns an exception of type *kind* with the message of *code* at the user's line, ready to raise."""
    return error_at(kind, code, calling_line(), **fields)


def at_line(problem: _Error, made_at: str) -> _Error:
    """Returns *problem*, made by ``error``, with the line *made_at*, for threads without a user's line."""
    return error_at(type(problem), problem.code, made_at, **problem._fields)


def error_at(kind: Type[_Error], code: str, made_at: Optional[str], /, **fields: object) -> _Error:
    """As ``error``, but at *made_at*: a line, or a place such as ``list.txt:41``; None: the message names none."""
    exception = kind(layout(code, made_at, **fields))
    exception.code = code
    exception._fields = fields
    return exception


def missing(name: str, why: str, instead: str = "") -> str:
    """Returns the text of the AttributeError or ImportError for TensorFlow 1's *name* (QC511)."""
    command = re.search(r"pip install [\w-]+", why)
    instead = instead or (command[0] if command else _LISTED)
    return layout("QC511", calling_line(), name=name, why=why, instead=instead)


def no_attribute(text: str) -> AttributeError:
    """Returns an AttributeError to which Python adds no suggestion, since *text* says what to do."""
    # Python 3.10 and later search ``obj`` for similar names, and would set it if it was not passed.
    given: Dict[str, Any] = {"obj": None} if sys.version_info >= (3, 10) else {}
    return AttributeError(text, **given)


_LISTED = f"use a name of tensorflow.compat.v1; '{EXPLAIN} NAME' says how a name of TensorFlow 1 is supported"
_NO_LINE = "<unknown>"
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
# DTensor wraps some functions, such as ``tf.fill``.
_TENSORFLOW = tuple(f"{os.sep}tensorflow{os.sep}{part}{os.sep}" for part in ("python", "dtensor"))
# "python -m" runs in frames of these, and of runpy.py before Python 3.11.
_OF_PYTHON = ("<frozen ", runpy.__file__)
# The folders with TensorFlow's decorators.
_DECORATORS = tuple(f"{os.sep}tensorflow{os.sep}python{os.sep}{part}{os.sep}" for part in ("autograph", "util"))


def is_internal(path: str) -> bool:
    """Whether a source file is internal, so that a user cannot fix anything in it.

    Internal are this package, TensorFlow, and what runs ``with`` blocks and ``python -m``.
    """
    is_python = path == contextlib.__file__ or path.startswith(_OF_PYTHON)
    return is_python or path.startswith(_OURS) or any(folder in path for folder in _TENSORFLOW)


def calling_line() -> str:
    """Returns ``file.py:line`` of the innermost frame of the user's code; "<unknown>" if there is none."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return _NO_LINE
    if _OF_AUTOGRAPH in frame.f_code.co_filename:
        return _line_before_autograph() or _NO_LINE
    return shown_line(frame.f_code.co_filename, frame.f_lineno)


# In a tf.function, code runs from a temporary file that AutoGraph has written. TensorFlow maps its lines to the
# original ones, and records these with each op.
_OF_AUTOGRAPH = "__autograph_generated_file"


def _line_before_autograph() -> str:
    tensorflow = sys.modules["tensorflow"]
    with tensorflow.Graph().as_default():
        return line_of(tensorflow.no_op())


def shown_line(path: str, line: int) -> str:
    """Returns ``file.py:line``, relative to the current folder if the file is below it."""
    return f"{os.path.relpath(path) if _is_below_here(path) else path}:{line}"


def line_that_raised(problem: BaseException) -> str:
    """Returns ``file.py:line`` of the innermost user frame in a traceback; without one, ``calling_line()``."""
    found, rest = None, problem.__traceback__
    while rest is not None:
        if not is_internal(rest.tb_frame.f_code.co_filename):
            found = rest
        rest = rest.tb_next
    return calling_line() if found is None else shown_line(found.tb_frame.f_code.co_filename, found.tb_lineno)


def line_of(op: Any) -> str:
    """Returns ``file.py:line`` of the user's line that made *op*, which is in a graph; empty if there is none."""
    frames = [frame for frame in op.traceback or () if not is_internal(frame.filename)]
    return shown_line(frames[-1].filename, frames[-1].lineno) if frames else ""


def call_on_behalf(thing: object) -> Optional[str]:
    """Returns the call on the user's line that led to a use of *thing*, such as "TextLineReader.read()".

    Returns:
      The call; None if it is a method or an attribute of *thing* itself.
    """
    called: Optional[types.FrameType] = None
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and is_internal(frame.f_code.co_filename):
        if not any(folder in frame.f_code.co_filename for folder in _DECORATORS):
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
    """Calls ``warnings.warn`` so that the warning points to the user's line."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    depth = 2
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)


def _is_below_here(path: str) -> bool:
    return os.path.abspath(path).startswith(os.getcwd() + os.sep)
