"""Explains, in one message, that a source file is Python 2.

Rule 1: Only an error that Python 3 has raised is examined; nothing is guessed.
Rule 2: Each construct is one row of ``_SOURCE`` or ``_NAMES``; the message is the same for all.
"""

from __future__ import annotations

import re
import shlex
from typing import Optional, Tuple

__all__ = ["EXPAND", "hint", "remedy"]

# Expands each tab to the columns that it had for Python 2; fissix leaves tabs unchanged.
EXPAND = "expand -i -t 8 {old} > {new}"
_CONVERT = (
    "convert it once (the old file is kept as .bak): python -m pip install fissix; python -m fissix --write {old}"
)

# Syntax that Python 3 cannot parse: a pattern for the line, and its description.
_SOURCE: Tuple[Tuple[str, str], ...] = (
    (r"^\s*(.*[:;]\s*)?print\b\s*([^\s(=.,)]|\(.*\)\s*[%,]|>>|$)", "a print statement"),
    (r"^\s*(.*[:;]\s*)?exec\s+[^\s(=]", "an exec statement"),
    (r"^\s*except\s+[\w.()\s,]+,\s*\w+\s*:", "'except Error, name:'"),
    (r"^\s*(.*:\s*)?raise\s+[\w.]+\s*,", "'raise Error, message'"),
    (r"<>", "the operator '<>'"),
    (r"`[^`]+`", "backquotes for repr()"),
    (r"(?<![\w.])0[0-7]+\b", "an octal number like 0777"),
    (r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)[lL]\b", "a long integer like 10L"),
    (r"(?<!\w)[uU][rR][\"']", "a ur'' string"),
    (r"^\s*def\s+\w+\(.*\([\w\s,]+\).*\)\s*:", "a tuple among the parameters of a function"),
    (r"lambda\s*\(", "a tuple among the parameters of a lambda"),
)

# Names that can be parsed, but do not exist at run time.
_NAMES = {
    "apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long", "raw_input", "reduce",
    "reload", "unichr", "unicode", "xrange",
}  # fmt: skip
_MODULES = {
    "ConfigParser", "Queue", "StringIO", "Tkinter", "__builtin__", "cPickle", "cStringIO", "commands", "cookielib",
    "httplib", "md5", "sets", "thread", "urllib2", "urlparse",
}  # fmt: skip
_METHODS = {"has_key", "iteritems", "iterkeys", "itervalues", "viewitems", "viewkeys", "viewvalues"}


def hint(problem: BaseException) -> Optional[str]:
    """Names the feature of Python 2 that *problem* is about, in a few words; None if it is about something else."""
    if isinstance(problem, TabError):
        return "tabs and spaces mixed in one block"
    if isinstance(problem, SyntaxError):
        line = problem.text or ""
        if "Missing parentheses in call to" in (problem.msg or ""):
            return f"{_article(line)} statement"
        return next((what for pattern, what in _SOURCE if re.search(pattern, line)), None)
    if isinstance(problem, NameError) and _quoted(problem) in _NAMES:
        return f"the name '{_quoted(problem)}'"
    if isinstance(problem, ModuleNotFoundError) and problem.name in _MODULES:
        return f"the module '{problem.name}'"
    if isinstance(problem, AttributeError) and "'dict' object has no attribute" in str(problem):
        method = str(problem).rpartition(" ")[2].strip("'")
        return f"the method '{method}' of a dict" if method in _METHODS else None
    return None


def remedy(problem: BaseException, path: str) -> str:
    """Returns what converts the file *path*, which *problem* is in, to Python 3."""
    old = shlex.quote(path)
    if isinstance(problem, TabError):
        new = shlex.quote(f"{path}.new")
        return f"convert its tabs to spaces: {EXPAND.format(old=old, new=new)} && mv {new} {old}"
    return _CONVERT.format(old=old)


def _article(line: str) -> str:
    return "an exec" if re.match(r"\s*exec\b", line) else "a print"


def _quoted(problem: NameError) -> str:
    found = re.search(r"'(\w+)'", str(problem))
    return found.group(1) if found else ""
