"""How texts and programs are displayed in IPython and in notebooks; does not need IPython.

Rule: what is displayed is what ``print`` shows. In a notebook, a program is coloured as well, by CSS classes of its
own.
"""

from __future__ import annotations

import html
import io
import keyword
import tokenize
from typing import Any, Iterator, Tuple

__all__ = ["ShownProgram", "ShownText"]

_STYLE = (
    "<style>.queuecompat-code .k{color:#8250df}.queuecompat-code .s{color:#0a6b3d}.queuecompat-code .c{color:#6e7781}"
    ".queuecompat-code .n{color:#0550ae}@media(prefers-color-scheme:dark){.queuecompat-code .k{color:#d2a8ff}"
    ".queuecompat-code .s{color:#7ee787}.queuecompat-code .c{color:#8b949e}.queuecompat-code .n{color:#79c0ff}}</style>"
)
_CLASSES = {tokenize.STRING: "s", tokenize.COMMENT: "c", tokenize.NUMBER: "n"}


class ShownText:
    """Base of objects whose ``str`` is a text of several lines."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Called by IPython in a terminal; *printer* is IPython's."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{html.escape(str(self))}</pre>'


class ShownProgram(ShownText):
    """Base of objects whose ``str`` is a Python program."""

    def _repr_html_(self) -> str:
        return f'{_STYLE}<pre class="queuecompat-code">{"".join(_coloured(str(self)))}</pre>'


def _coloured(code: str) -> Iterator[str]:
    """*code* as HTML; each token that has a colour is an element of its own."""
    lines = code.splitlines(keepends=True)
    line, column = 1, 0
    for kind, begin, end in _tokens(code):
        yield html.escape(_between(lines, (line, column), begin))
        yield f'<span class="{kind}">{html.escape(_between(lines, begin, end))}</span>'
        line, column = end
    yield html.escape(_between(lines, (line, column), (len(lines) + 1, 0)))


def _tokens(code: str) -> Iterator[Tuple[str, Tuple[int, int], Tuple[int, int]]]:
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        kind = "k" if keyword.iskeyword(token.string) else _CLASSES.get(token.type)
        if kind:
            yield kind, token.start, token.end


def _between(lines: Any, begin: Tuple[int, int], end: Tuple[int, int]) -> str:
    """The text between two positions, each a line (from 1) and a column (from 0)."""
    (first, start), (last, stop) = begin, end
    if first == last:
        return str(lines[first - 1][start:stop]) if first <= len(lines) else ""
    middle = "".join(lines[first : last - 1])
    return lines[first - 1][start:] + middle + (lines[last - 1][:stop] if last <= len(lines) else "")
