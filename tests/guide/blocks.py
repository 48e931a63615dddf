"""The code blocks of the guide's pages, and what each of them promises.

A block of ``python`` is run; of ``sh``, its lines that begin with ``python -m queuecompat`` or ``python examples/``.
What a reader need not see stands in comments right before the block:

    <!-- fails: TEXT -->     it raises, and type or message contain TEXT
    <!-- warns: TEXT -->     it warns so
    <!-- prints -->          a ``text`` block: what the block before it printed; ``...`` is anything
    <!-- before: CODE -->    runs first, in the same namespace
    <!-- needs: PACKAGE -->  runs where that is installed; ``tox -e peers`` has all of them
    <!-- fresh -->           begins a new namespace, and a new graph

Blocks of a page share a namespace and an empty folder. Whether they run eagerly or under ``queuecompat.v1``, which
ends eager execution for its process, is decided by the last TensorFlow that the page imported.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
import re
from typing import Dict, Iterator, List, Tuple

__all__ = ["GUIDE", "PAGES", "ROOT", "Block", "blocks_of", "commands"]

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "migration_guide"
PAGES = sorted(GUIDE.rglob("*.md"))

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_COMMENT = re.compile(r"<!--\s*(?P<mark>fails|warns|prints|before|fresh|needs)\b:?[ ]?(?P<text>.*?)-->\s*", re.DOTALL)
_WANTS_V1 = re.compile(r"^(import|from) queuecompat\.v1\b|disable_(v2_behavior|eager_execution)\(", re.MULTILINE)
_WANTS_EAGER = re.compile(r"^import tensorflow\b", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
      page: its path below the guide.
      line: of its first line of code, from 1.
      language: ``python``, ``sh``, ``text``, ...
      code: without the fences.
      marks: what the comments before it say: name to text.
      mode: ``eager`` or ``v1``.
    """

    page: str
    line: int
    language: str
    code: str
    marks: Dict[str, str]
    mode: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def missing(self) -> str:
        """The package that it needs and that is not installed, if any."""
        package = self.marks.get("needs", "")
        return package if package and importlib.util.find_spec(package) is None else ""

    @property
    def is_run(self) -> bool:
        return self.language == "python" or bool(commands(self))


def commands(block: Block) -> List[str]:
    """The lines of a shell block that a test can run."""
    if block.language != "sh":
        return []
    return [line for line in block.code.splitlines() if re.match(r"python (-m queuecompat|examples/)", line)]


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """The blocks of one page in their order.

    Raises:
      ValueError: a mark stands before no block.
    """
    mode, end = "eager", 0
    for fence in _FENCE.finditer(text):
        marks = _marks(page, text[end : fence.start()])
        end = fence.end()
        code = fence["code"]
        mode = _mode(marks.get("before", "") + "\n" + code, mode)
        line = text.count("\n", 0, fence.start("code")) + 1
        yield Block(page, line, fence["language"], code, marks, mode)
    _marks(page, text[end:], may_have=False)


def _mode(code: str, before: str) -> str:
    if _WANTS_V1.search(code):
        return "v1"
    return "eager" if _WANTS_EAGER.search(code) else before


def _marks(page: str, prose: str, *, may_have: bool = True) -> Dict[str, str]:
    """The marks at the very end of the prose before a block; none may stand elsewhere."""
    found = list(_COMMENT.finditer(prose))
    at_the_end: List[Tuple[str, str]] = []
    end = len(prose)
    for comment in reversed(found):
        if comment.end() != end or not may_have:
            raise ValueError(f"{page}: a mark that stands before no block: {comment.group()}")
        end = comment.start()
        at_the_end.append((comment["mark"], comment["text"].strip("\n")))
    return {mark: text if mark == "before" else text.strip() for mark, text in at_the_end}
