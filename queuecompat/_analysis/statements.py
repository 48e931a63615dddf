"""What the user's source says about ops: the names of the variables that their values were assigned to, and comments.

An op knows the source lines of the calls that made it. The statement on such a line may have a target and comments.

Rule 1: An op gets the name of a target if it is the only op of its statement that is used outside of that statement:
        then its output is the value that was assigned. If the innermost call returns its value without a name, the
        target at the line that called it is taken.
Rule 2: The outputs of one op get the names of several targets only if the statement assigns exactly what the op's own
        function returned, since a call around that function may have changed the order. With a starred or nested
        target, none gets a name.
Rule 3: Only lines of the input function, and of functions that it calls, count; the program around it does not.
Rule 4: If a source file is missing or cannot be parsed, there are no names and comments; that is not an error.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import linecache
import os
import re
import tokenize
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from queuecompat._analysis.known_calls import KnownCall, call_of
from queuecompat._analysis.origins import users_name
from queuecompat.errors import is_internal

__all__ = ["NO_NOTES", "Comment", "SourceNotes", "notes_of", "notes_of_rewritten"]

# The file whose frame calls the input function, as the tracebacks of ops name it.
_CALLER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "dataset.py")
# Comments that are meant for tools.
_PRAGMA = re.compile(r"#\s*(?:!|-\*-|pylint|noqa|type:|pragma|yapf|fmt:|isort|mypy|pytype|flake8)", re.IGNORECASE)

# For each op with several outputs: the names of the functions that make it and return these outputs in order.
_FUNCTIONS = {
    "DecodeCSV": ("decode_csv",),
    "Split": ("split",),
    "SplitV": ("split", "split_v"),
    "Unpack": ("unpack", "unstack"),
}

# The calls that made an op, from the call of the input function to the innermost: the file and line of each call, and
# the name of the function that contains that line.
_Calls = Tuple[Tuple[str, int, str], ...]


@dataclasses.dataclass(frozen=True)
class Comment:
    """The comments of one statement.

    Attributes:
      place: the path and first line of the statement, which identify it.
      lines: the comments, unchanged.
    """

    place: Tuple[str, int]
    lines: Tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class SourceNotes:
    """What the source says about ops, each by its op's name.

    Attributes:
      names: the name of the op's value.
      outputs: the names of all its outputs, where a statement names each of them; empty for ``_``.
      comments: the comments of the statements that made it.
      calls: the call of this package's function that made it, where it is known.
    """

    names: Dict[str, str] = dataclasses.field(default_factory=dict)
    outputs: Dict[str, Tuple[str, ...]] = dataclasses.field(default_factory=dict)
    comments: Dict[str, Tuple[Comment, ...]] = dataclasses.field(default_factory=dict)
    calls: Dict[str, KnownCall] = dataclasses.field(default_factory=dict)


NO_NOTES = SourceNotes()


@dataclasses.dataclass(frozen=True)
class _Statement:
    """One statement of the source.

    Attributes:
      first: its first line.
      target: the name that it assigns its value to.
      targets: the names, if it unpacks the value. At least one of *target* and *targets* is empty.
      call: the name of the function whose result it assigns or returns; empty if its value is not a call.
      comments: the comments above it and on its lines.
    """

    first: int
    target: str
    targets: Tuple[str, ...]
    call: str
    comments: Tuple[str, ...]


def notes_of(ops: Sequence[Any], outputs: Sequence[Any]) -> SourceNotes:
    """Returns what the user's source says about *ops*, which compute *outputs*."""
    sources: Dict[str, Dict[int, _Statement]] = {}
    calls = {op.name: _calls(op) for op in ops}
    for path, _, _ in {call for one in calls.values() for call in one}:
        sources.setdefault(path, _statements(path))
    statements = {name: [sources[path].get(line) for path, line, _ in one] for name, one in calls.items()}
    # Identifies one execution of a statement: the calls around it, its file and its first line.
    places = {
        name: [(calls[name][:depth], calls[name][depth][0], one and one.first) for depth, one in enumerate(found)]
        for name, found in statements.items()
    }
    leaving = _leaving(ops, outputs, places)
    names, outputs_of, comments = {}, {}, {}
    for op in ops:
        depth, targets = _targets_of_outputs(op, calls[op.name], statements[op.name])
        inner_first = list(zip(places[op.name], statements[op.name]))[::-1]
        place, target = next(((place, one.target) for place, one in inner_first if one and one.target), (None, ""))
        if targets and leaving[places[op.name][depth]] == {op.name}:
            outputs_of[op.name] = targets
        elif place is not None and leaving[place] == {op.name}:
            names[_source_of(op, place, places).name] = target
        written = [Comment((path, one.first), one.comments) for (_, path, _), one in inner_first[::-1] if one]
        comments[op.name] = tuple(one for one in written if one.lines)
    known = {op.name: call_of(op) for op in ops}
    return SourceNotes(
        names,
        outputs_of,
        {name: found for name, found in comments.items() if found},
        {name: call for name, call in known.items() if call is not None},
    )


def _targets_of_outputs(
    op: Any, calls: _Calls, statements: Sequence[Optional[_Statement]]
) -> Tuple[int, Tuple[str, ...]]:
    """Finds the statement that unpacks the value that *op* returned.

    Returns:
      The statement's number among *statements*, and its name for each output; no names if there is no such statement.
    """
    functions: Sequence[str] = _FUNCTIONS.get(op.type, ())
    for depth in reversed(range(len(calls))):
        one = statements[depth]
        if one is None or one.call not in functions or one.target:
            break
        if one.targets:
            return depth, one.targets if len(one.targets) == len(op.outputs) else ()
        functions = (calls[depth][2],)
    return 0, ()


def _source_of(op: Any, place: Any, places: Dict[str, List[Any]]) -> Any:
    """Returns the op that computes the value of *op*: identities that the same statement made are skipped."""
    while op.type == "Identity" and place in places.get(op.inputs[0].op.name, ()):
        op = op.inputs[0].op
    return op


def notes_of_rewritten(notes: SourceNotes, ops: Sequence[Any], outputs: Sequence[Any]) -> SourceNotes:
    """Transfers *notes*, about the original ops, to the *ops* that replaced them, by their names (``origins``)."""
    origin = {op.name: users_name(op.name) for op in ops}
    used = {tensor.op.name for tensor in outputs}
    used.update(t.op.name for op in ops for t in op.inputs if origin.get(t.op.name) != origin[op.name])
    names = {name: notes.names[of] for name, of in origin.items() if of in notes.names and name in used}
    outputs_of = {
        op.name: notes.outputs[origin[op.name]]
        for op in ops
        if op.name in used and len(notes.outputs.get(origin[op.name], ())) == len(op.outputs)
    }
    comments = {name: notes.comments[of] for name, of in origin.items() if of in notes.comments}
    return SourceNotes(
        names, outputs_of, comments, {name: notes.calls[of] for name, of in origin.items() if of in notes.calls}
    )


def _leaving(ops: Sequence[Any], outputs: Sequence[Any], places: Dict[str, List[Any]]) -> Dict[Any, Set[str]]:
    """For each statement, returns the ops whose outputs are used outside of it."""
    leaving: Dict[Any, Set[str]] = {place: set() for found in places.values() for place in found}
    inside = {name: set(found) for name, found in places.items()}
    for tensor in outputs:
        for place in inside.get(tensor.op.name, ()):
            leaving[place].add(tensor.op.name)
    for op in ops:
        for tensor in op.inputs:
            for place in inside.get(tensor.op.name, set()) - inside[op.name]:
                leaving[place].add(tensor.op.name)
    return leaving


def _calls(op: Any) -> _Calls:
    frames = list(op.traceback or ())
    callers = [number for number, frame in enumerate(frames) if frame.filename == _CALLER]
    if not callers:
        return ()
    own = [frame for frame in frames[callers[-1] + 1 :] if not is_internal(frame.filename)]
    return tuple((frame.filename, frame.lineno, frame.name) for frame in own)


def _statements(path: str) -> Dict[int, _Statement]:
    """Returns the simple statements of a file by each of their lines, except lines with several statements."""
    lines = linecache.getlines(path)
    try:
        tree = ast.parse("".join(lines))
        comments = _comments("".join(lines))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return {}
    found: Dict[int, Optional[_Statement]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
            last = node.end_lineno or node.lineno
            attached = _comments_at(comments, lines, node.lineno, last)
            statement = _Statement(node.lineno, _target(node), _targets(node), _call(node), attached)
            for line in range(node.lineno, last + 1):
                found[line] = None if line in found else statement
    return {line: one for line, one in found.items() if one is not None}


def _target(node: Any) -> str:
    """Returns the name that an assignment has as its only target; otherwise ""."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    (target,) = targets if len(targets) == 1 else (None,)
    return _name_of(target)


def _targets(node: Any) -> Tuple[str, ...]:
    """Returns the names that an unpacking assignment has for its parts.

    A part without a name has "". The result is empty if no part has a name, or if a target is nested or starred.
    """
    targets = node.targets if isinstance(node, ast.Assign) and len(node.targets) == 1 else ()
    parts = [part for target in targets if isinstance(target, (ast.List, ast.Tuple)) for part in target.elts]
    if any(isinstance(part, (ast.List, ast.Starred, ast.Tuple)) for part in parts):
        return ()
    names = tuple(_name_of(part) for part in parts)
    return names if any(names) else ()


def _call(node: Any) -> str:
    """Returns the last part of the name of the function whose result *node* assigns or returns; otherwise ""."""
    value = node.value if isinstance(node, (ast.Assign, ast.Return)) else None
    function = value.func if isinstance(value, ast.Call) else None
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _name_of(target: Any) -> str:
    """Returns the name that an assignment target suggests for the value; "" if it suggests none."""
    if isinstance(target, ast.Name):
        name = target.id
    elif isinstance(target, ast.Attribute):
        name = target.attr
    elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        name = str(target.slice.value)
    else:
        name = ""
    return name if name.isidentifier() and name.strip("_") else ""


def _comments(text: str) -> Dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {one.start[0]: one.string for one in tokens if one.type == tokenize.COMMENT}


def _comments_at(comments: Dict[int, str], lines: Sequence[str], first: int, last: int) -> Tuple[str, ...]:
    """Returns the comments directly above the lines from *first* to *last*, and on them."""
    begin = first
    while begin - 1 in comments and lines[begin - 2].lstrip().startswith("#"):
        begin -= 1
    found = [comments[line] for line in range(begin, last + 1) if line in comments]
    return tuple(one.rstrip() for one in found if not _PRAGMA.match(one))
