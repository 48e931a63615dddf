"""What the error of a step says: its first real cause, in the user's terms, without TensorFlow's traces.

TensorFlow adds to an op's error its place in the graph and the stack trace of the code that made the op: some forty
lines around the one that matters. For an error raised by a pipeline, the message keeps that line, the op and the
pipeline.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

import tensorflow as tf

from queuecompat.errors import EXPLAIN

__all__ = ["ENDS", "cancelled", "cause", "chain", "exhausted", "explained", "is_of_ours", "op_error", "op_name"]

# Errors that mean the end of a queue or a pipeline, not that one element failed.
ENDS = (tf.errors.OutOfRangeError, tf.errors.CancelledError, tf.errors.AbortedError)

# A text of ``errors.layout`` inside the message of an Assert, which escapes it.
_OURS = re.compile(rf"assertion failed: \[(QC\d\d\d .*?{EXPLAIN} QC\d\d\d)\]", re.DOTALL)


# Codes of errors that are really a DataLossError: a Python function cannot raise one.
_OF_A_CUT_FILE = ("QC332 ", "QC336 ")

# The place in a graph or a function: "[[{{node DecodeRaw}}]]", "[[batch]]".
_PLACE = re.compile(r"\[\[(?:\{\{node )?([^\]{}]+)")
_NODE = re.compile(r"Node: '[^'\n]*'\n")
_HEADING = "Graph execution error:\n"
# What precedes the cause if TensorFlow has no trace of the op, in eager mode.
_NO_TRACES = "<stack traces unavailable>\n"
# The prefix of the op, or of a function, that eager mode adds.
_WRAPPED = re.compile(r"\A(?:\{\{function_node [^}]*\}\} )+")
# The suffix that eager mode adds: the op that it ran, and, in newer versions, an empty name.
_RAN = re.compile(r" \[Op:\w+\](?: name:.*)?\Z")
# The prefix that tf.data adds to the errors of functions.
_OF_A_FUNCTION = re.compile(r"Error in user-defined function passed to \S+ transformation with iterator: \S+: ")
# A block of records is read from one byte offset of its file to another. If the file has changed since, its size no
# longer fits.
_OF_A_CHANGED_FILE = re.compile(r'Excluding the header .* input file "(.*)" has body length .*', re.DOTALL)
# The error for a file name that contains wildcards: the program passed a pattern.
_OF_A_PATTERN = re.compile(r"\A(?=[^;\n]*[*?])[^;\n]*; No such file or directory\Z")
# The type of an error whose message could not be decoded, by words in it; without any of them, a record failed to
# parse.
_OF_BYTES = ((b"No such file", tf.errors.NotFoundError), (b"ed record", tf.errors.DataLossError))
_OF_TENSORFLOW = re.compile(rb"\{\{(?:function_)?node |\AError in user-defined function passed to ")


def op_error(problem: Exception, graph: Optional[tf.Graph] = None) -> Optional[tf.errors.OpError]:
    """The TensorFlow error that *problem* stands for; None if TensorFlow did not raise it.

    TensorFlow's Python binding cannot decode a message that quotes bytes that are not valid UTF-8, such as those of a
    record or of a file name; it raises a ``UnicodeDecodeError`` instead, from which the error is reconstructed here.

    Args:
      graph: the graph of the op that failed, if it has one.
    """
    if isinstance(problem, tf.errors.OpError):
        return problem
    if not isinstance(problem, UnicodeDecodeError):
        return None
    if _OF_TENSORFLOW.search(problem.object) is None and _raised_in(problem) != "_call_tf_sessionrun":
        return None
    kind = next((kind for words, kind in _OF_BYTES if words in problem.object), tf.errors.InvalidArgumentError)
    error = kind(None, None, problem.object.decode("utf-8", "replace"))
    if graph is not None:
        for name in chain(error):
            try:
                op = graph.get_operation_by_name(name)
            except (KeyError, ValueError):  # an op inside a function
                continue
            return kind(op.node_def, op, error.message)
    return error


def _raised_in(problem: Exception) -> str:
    """The name of the Python function in which *problem* was raised."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else trace.tb_frame.f_code.co_name


def op_name(error: tf.errors.OpError) -> Optional[str]:
    """The name of the op in the graph that raised *error*; None if TensorFlow does not say."""
    if error.op is not None:
        return error.op.name
    return error.node_def.name if error.node_def is not None else None


def chain(error: tf.errors.OpError) -> List[str]:
    """The names of the ops that the error passed through: first the op that raised it, then those that called it."""
    name = op_name(error)
    return [*([] if name is None else [name]), *_PLACE.findall(error.message)]


def is_of_ours(error: tf.errors.OpError) -> bool:
    """Whether the error was raised by this package, with a QC code."""
    return _OURS.search(error.message) is not None


def cause(error: tf.errors.OpError) -> str:
    """What went wrong, without the place in the graph."""
    ours = _OURS.search(error.message)
    if ours is not None:
        return _unescaped(ours.group(1))
    # "Graph execution error: Detected at node ... Node: 'x'\n<cause>\n\t [[{{node x}}]]\n\nOriginal stack trace ..."
    # An error of eager mode does not name its op, so any name is accepted.
    text = _NODE.split(error.message)[-1]
    text = text.rpartition(_NO_TRACES)[2]
    text = text[len(_HEADING) :] if text.startswith(_HEADING) else text
    text = _WRAPPED.sub("", text)
    text = re.split(r"\n\t? *\[\[|\n\nOriginal stack trace", text)[0].strip()
    text = _WRAPPED.sub("", _OF_A_FUNCTION.sub("", _RAN.sub("", text)))
    if _OF_A_PATTERN.search(text):
        return f"{text}: it is read as a name; tf.gfile.Glob(pattern) returns the files that match a pattern"
    return _OF_A_CHANGED_FILE.sub(
        r"the size of '\1' has changed since its records were found: start again when nothing writes to it", text
    )


def explained(error: tf.errors.OpError, text: str) -> tf.errors.OpError:
    """An error of the same type and op whose message is only *text*."""
    kind = tf.errors.DataLossError if text.startswith(_OF_A_CUT_FILE) else type(error)
    if kind not in _brief_kinds:
        _brief_kinds[kind] = _brief(kind)
    return _brief_kinds[kind](error.node_def, error.op, text)


def cancelled(error: tf.errors.OpError) -> tf.errors.OpError:
    """The CancelledError of a step that failed with *error* because its session was being closed."""
    return tf.errors.CancelledError(error.node_def, error.op, "The session was closed while the step waited for data.")


def exhausted(text: str, draw: tf.Operation) -> tf.errors.OpError:
    """The OutOfRangeError of the op *draw*, with TensorFlow's message *text*."""
    return tf.errors.OutOfRangeError(draw.node_def, draw, f"{text}\n\t [[{{{{node {draw.name}}}}}]]")


_brief_kinds: Dict[Any, Any] = {}


def _brief(kind: Any) -> Any:
    """A subclass of *kind* with the same name, shown without the trace that TensorFlow adds."""
    members = {"__str__": lambda self: self.message, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind.__name__, (kind,), members)


_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def _unescaped(text: str) -> str:
    """*text* with TensorFlow's C escapes decoded."""

    def meant(escape: re.Match[bytes]) -> bytes:
        what = escape.group(1)
        return bytes([int(what, 8)]) if len(what) == 3 else _ESCAPED.get(what, what)

    return re.sub(rb"\\([0-7]{3}|.)", meant, text.encode()).decode("utf-8", "replace")
