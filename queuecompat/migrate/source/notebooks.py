"""Presents a notebook's code cells as one Python source, and writes changed cells back into its JSON.

Rule 1: whatever no rewrite touched keeps its bytes: outputs, metadata, the order of keys, indentation, cells.
Rule 2: a line of IPython syntax (``%cd``, ``!ls``, ``x = !ls``, ``batch?``) becomes ``pass`` with the line as a
        comment, and its continuation lines become comments. A cell of an IPython magic, or a cell that does not parse,
        becomes comments only.
Rule 3: the Python code that a magic runs is analysed: ``%time x = f()`` becomes its statement, with the magic as a
        comment after it; of a cell of ``%%time``, ``%%timeit``, ``%%capture`` or ``%%prun`` only the first line becomes
        a comment.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import json
import re
import tokenize
import warnings
from typing import Any, Counter, Iterator, List, Tuple

from queuecompat.migrate.findings import Finding, finding
from queuecompat.migrate.source.parsing import UnreadableError

__all__ = ["BordersError", "Notebook", "begins_cell"]

_MARK = "# queuecompat begins cell "
_HIDDEN = "pass  # queuecompat hides: "
_LEFT_OUT = "# queuecompat leaves out: "
_TIMED = "  # queuecompat runs it by: "
_KEPT = "# queuecompat keeps above: "
_RUNS_LINE = re.compile(r"^(\s*)(%(?:time|timeit|prun|memit)\s+(?:-\w+\s*\d*\s+)*)(\S.*)$")
_RUNS_CELL = re.compile(r"^%%(capture|prun|time|timeit)\b[^\n]*$")
_IPYTHON = re.compile(r"^\s*([%!?]|[\w.,\s]+=\s*[%!]|[\w.]+\?{1,2}\s*$)")
_SPACE = re.compile(r"[ \t\r\n]*")


_NOTHING_LEFT = "# Nothing is left of this cell: a dataset needs no session and no threads."


class BordersError(Exception):
    """A rewrite would move code from one cell to another."""


@dataclasses.dataclass(frozen=True)
class _Cell:
    """A code cell: its number from 1 among all cells, its source, and the span of that source in the JSON text."""

    number: int
    source: str
    start: int
    end: int


class Notebook:
    """One notebook.

    Attributes:
      source: its code cells as one text, each after a line that marks its beginning.
      problems: findings about cells that do not parse.

    Raises:
      UnreadableError: QC733: the file is not a notebook.
    """

    def __init__(self, file: str, text: str) -> None:
        self._text = text
        self.problems: List[Finding] = []
        try:
            self._cells = list(_code_cells(text))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise UnreadableError(finding("QC733", file, 1, 1, problem=f"not a notebook: {problem}")) from None
        self.source = "".join(f"{_MARK}{cell.number}\n{self._shown(file, cell)}\n" for cell in self._cells)

    def _shown(self, file: str, cell: _Cell) -> str:
        first, newline, rest = cell.source.partition("\n")
        if newline and _RUNS_CELL.match(first):
            hidden, kept = _hidden(rest), _KEPT + first + newline
        elif cell.source.lstrip().startswith("%%"):
            return _commented(cell.source)
        else:
            hidden, kept = _hidden(cell.source), ""
        refusal = _refusal(hidden)
        if refusal is None:
            return kept + hidden
        line = refusal.lineno or 1
        found = finding("QC731", file, self.json_line(cell.number, line), 1, problem=refusal.msg)
        self.problems.append(dataclasses.replace(found, where=f"cell {cell.number}, line {line}"))
        return _commented(cell.source)

    def place(self, line: int) -> Tuple[int, int]:
        """Maps *line* of the source to the number of its cell and the line in that cell, both from 1."""
        lines = self.source.split("\n")
        mark = max((number for number in range(line) if lines[number].startswith(_MARK)), default=0)
        return int(lines[mark][len(_MARK) :]), max(line - mark - 1, 1)

    def json_line(self, cell: int, line: int) -> int:
        """The line of the JSON text that holds *line* of a cell, or the line of the string that is the whole cell."""
        found = next(one for one in self._cells if one.number == cell)
        starts = [start for start, _ in _elements(self._text, found.start)]
        at = starts[min(line, len(starts)) - 1] if starts else found.start
        return self._text.count("\n", 0, at) + 1

    def with_source(self, source: str) -> str:
        """The JSON text, with each cell that differs in *source* replaced.

        Raises:
          BordersError: a mark between cells has moved, a call would move from one cell to another, or a cell's magic
            would no longer be on its first line.
        """
        old, new = _cells_of(self.source), _cells_of(source)
        if [number for number, _ in new] != [cell.number for cell in self._cells]:
            raise BordersError("code would move from one cell to another")
        if _moves([shown for _, shown in old], [shown for _, shown in new]):
            raise BordersError("a call would move from one cell to another")
        text = self._text
        for cell, (_, shown) in reversed(list(zip(self._cells, new))):
            changed = _with_ends_of(cell.source, _restored(shown))
            if cell.source.strip() and not changed.strip():
                changed = _NOTHING_LEFT
            if any(line.startswith("%%") for line in changed.split("\n")[1:] if _RUNS_CELL.match(line)):
                raise BordersError("the magic of a cell would not be its first line")
            if changed != cell.source:
                text = text[: cell.start] + _written(self._text[cell.start : cell.end], changed) + text[cell.end :]
        return text


def begins_cell(comment: str) -> bool:
    """Whether *comment* marks the beginning of a cell."""
    return comment.startswith(_MARK)


def _cells_of(source: str) -> List[Tuple[int, str]]:
    """The number of each cell, with the part of *source* that represents it."""
    parts = re.split(rf"^{re.escape(_MARK)}(\d+)\n", source, flags=re.MULTILINE)[1:]
    return [(int(number), shown[: -len("\n")]) for number, shown in zip(parts[::2], parts[1::2])]


def _moves(old: List[str], new: List[str]) -> bool:
    """Whether a call that *old* has in one cell is in a different cell in *new*."""
    before, after = [_calls(cell) for cell in old], [_calls(cell) for cell in new]
    gone = [first - second for first, second in zip(before, after)]
    come = [second - first for first, second in zip(before, after)]
    return any(lost & found for here, lost in enumerate(gone) for there, found in enumerate(come) if here != there)


def _calls(cell: str) -> Counter[str]:
    """How often each call occurs in a cell."""
    if _refusal(cell) is not None:
        return Counter()
    return Counter(ast.dump(node) for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Call))


def _code_cells(text: str) -> Iterator[_Cell]:
    notebook = json.loads(text)
    if not isinstance(notebook["cells"], list):
        raise ValueError("its cells are not a list")
    spans = dict(_members(text, _SPACE.match(text).end()))  # type: ignore[union-attr]
    for number, (start, _) in enumerate(_elements(text, spans["cells"][0]), 1):
        cell = notebook["cells"][number - 1]
        if cell["cell_type"] == "code":
            source = cell["source"]
            start, end = dict(_members(text, start))["source"]
            yield _Cell(number, source if isinstance(source, str) else "".join(source), start, end)


def _members(text: str, start: int) -> Iterator[Tuple[str, Tuple[int, int]]]:
    """The keys of the JSON object at *start*, each with the span of its value."""
    for key_start, key_end in _items(text, start):
        key = json.loads(text[key_start:key_end])
        value_start = _skip(text, _skip(text, key_end) + 1)
        yield key, (value_start, _end(text, value_start))


def _elements(text: str, start: int) -> Iterator[Tuple[int, int]]:
    """The spans of the values of the JSON array at *start*; none if the value there is not an array."""
    return _items(text, start) if text[start] == "[" else iter(())


def _items(text: str, start: int) -> Iterator[Tuple[int, int]]:
    """The spans of the values of an array, or of the keys of an object."""
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        end = _end(text, at)
        yield at, end
        after = _skip(text, end)
        if text[after] == ":":
            after = _skip(text, _end(text, _skip(text, after + 1)))
        at = _skip(text, after + 1) if text[after] == "," else after


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _end(text: str, start: int) -> int:
    return json.JSONDecoder().raw_decode(text, start)[1]


def _written(like: str, source: str) -> str:
    """Formats *source* as JSON in the style of *like*: a string, or an array with one line per element."""
    escaped = like.isascii()
    if not like.startswith("["):
        return json.dumps(source, ensure_ascii=escaped)
    first = re.match(r"\[(\s*)", like)
    last = re.search(r"(\s*)\]$", like)
    assert first and last
    spans = list(_elements(like, 0))
    # Unchanged lines keep their bytes: the program that wrote the notebook may escape more characters than necessary.
    known = {json.loads(like[start:end]): like[start:end] for start, end in spans}
    lines = [known.get(line) or json.dumps(line, ensure_ascii=escaped) for line in source.splitlines(keepends=True)]
    between = like[spans[0][1] : spans[1][0]] if len(spans) > 1 else f",{first[1]}"
    return "[" + first[1] + between.join(lines) + last[1] + "]"


def _hidden(source: str) -> str:
    """*source* without what is IPython's; a line inside of a statement or of a text may only look like that."""
    if _refusal(source) is None:
        return source
    shown: List[str] = []
    statement = ""  # its lines, until it ends
    is_hidden = False
    for line in source.split("\n"):
        if is_hidden and shown[-1].endswith("\\"):
            shown.append(_LEFT_OUT + line)
            continue
        new = _without_ipython(line) if not statement else line
        is_hidden = _HIDDEN in new and new != line
        statement = f"{statement}{new}\n"
        if not _goes_on(statement):
            statement = ""
        shown.append(new)
    return "\n".join(shown)


def _without_ipython(line: str) -> str:
    """Returns *line*, the first line of a statement, as Python."""
    timed = _RUNS_LINE.match(line)
    if timed and "#" not in line and _refusal(timed[3]) is None:
        return f"{timed[1]}{timed[3]}{_TIMED}{timed[2]}"
    indentation = line[: len(line) - len(line.lstrip())]
    return f"{indentation}{_HIDDEN}{line.lstrip()}" if _IPYTHON.match(line) else line


def _goes_on(lines: str) -> bool:
    """Whether a bracket, a string or a continued line is still open at the end of *lines*."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO(lines.lstrip()).readline):
            pass
    except tokenize.TokenError as problem:
        return "EOF in multi-line" in str(problem)
    except SyntaxError:
        return False
    return False


def _commented(source: str) -> str:
    return "\n".join(_LEFT_OUT + line for line in source.split("\n"))


def _restored(source: str) -> str:
    without = source.replace(_HIDDEN, "")
    without = re.sub(rf"^(\s*)(.*){re.escape(_TIMED)}(.*)$", r"\1\3\2", without, flags=re.MULTILINE)
    without = re.sub(rf"^\s*{re.escape(_KEPT)}", "", without, flags=re.MULTILINE)
    return re.sub(rf"^[ \t]*{re.escape(_LEFT_OUT)}", "", without, flags=re.MULTILINE)


def _with_ends_of(old: str, new: str) -> str:
    """*new* with the line ends of *old* around it: the blank lines above a new function may be in the cell before."""
    inside = new.strip("\n")
    above, below = len(old) - len(old.lstrip("\n")), len(old.rstrip("\n"))
    return old[:above] + inside + old[below:] if inside else new


def _refusal(source: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as problem:
        return problem if isinstance(problem, SyntaxError) else SyntaxError(str(problem))
    return None
