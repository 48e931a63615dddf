"""Parses a Python file into a syntax tree that keeps its text, or reports why it cannot be parsed.

Rule 1: bytes in, the same bytes out: encoding, byte order mark and line ends are kept.
Rule 2: a file that cannot be read becomes a finding, not a crash.
"""

from __future__ import annotations

import ast
import functools
import io
import tokenize
import warnings
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar, Union

import libcst
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from queuecompat.migrate.findings import Finding, finding
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.index import Index
from queuecompat.migrate.source.lost_spaces import with_lost_spaces
from queuecompat.migrate.source.names import Names, Reexports
from queuecompat.migrate.source.positions import Positions
from queuecompat.running import python2

__all__ = ["Source", "UnreadableError", "decoded", "encoded", "parsed", "plain_tree"]

_TABS = (
    f"its indentation mixes tabs and spaces; '{python2.EXPAND.format(old='OLD.py', new='NEW.py')}' converts the tabs, "
    "as Python 2 read them"
)

_Node = TypeVar("_Node", bound=libcst.CSTNode)
_Result = TypeVar("_Result")


class UnreadableError(Exception):
    """The file has no syntax tree; ``finding`` says why."""

    def __init__(self, problem: Finding) -> None:
        self.finding = problem
        super().__init__(problem.message)


class Source:
    """One parsed file, with the facts about other files of its program that its analysis needs.

    The attributes from *batches_elsewhere* on are facts about other files. ``together/elsewhere``, ``Program``,
    ``order_of_records`` and ``check`` set them; this must happen before any question whose answer depends on them.

    Attributes:
      file: its name, for messages.
      text: the text that was parsed.
      tree: its syntax tree; every node that the other modules pass around belongs to this tree.
      batches_elsewhere: full names, as this file spells them, of functions of other files that return batches.
      parts_elsewhere: full names of functions and classes of other files that build parts of queue pipelines; for a
        class, mapped to its name.
      possible_parts: names of methods of other files that build such parts, and full names of functions that may; which
        of them a call runs is known only at run time.
      several_elsewhere: of the functions in *batches_elsewhere*, the places in their result that may hold a dict or a
        list.
      lists_elsewhere: for these functions and places, whether the value is a list; None: it may be one.
      depths_elsewhere: for these functions and places, how deeply lists are nested in the value.
      set_elsewhere: names of variables and attributes that these functions set and that outlive the call.
      named_elsewhere: names of attributes and methods in other files of the program.
      called_once_elsewhere: of the methods of its classes, by class and method, those that other files call at most
        once for each object (``single_calls``).
      is_seeded: whether a file of the program sets the seed of a graph.
      looked_up_elsewhere: names that other files of the program may look up at run time, or set in this file.
      order_elsewhere: names, as this file spells them, of functions and classes of other files whose values depend on
        the order of records, each with the kinds of calls that cause this (``order_of_records``).
      is_imported: whether other files import this one.
      begins_with_tensors: whether files that this one imports may create variables whose initial value is a tensor.
      registering: full names of decorators of other files that only register a function, each with whether the
        decorator is called (``@register()``).
      reexports: names of TensorFlow that this file gets from other files.
      is_reexported: whether files that need TensorFlow 1's names get them from this one.
    """

    def __init__(self, file: str, text: str, module: libcst.Module) -> None:
        self.file, self.text = file, text
        self._end = _end(text)
        self._wrapper = MetadataWrapper(module, unsafe_skip_copy=True)  # no other tree has these nodes
        self.tree: libcst.Module = self._wrapper.module
        self.batches_elsewhere: FrozenSet[str] = frozenset()
        self.parts_elsewhere: Mapping[str, str] = {}
        self.possible_parts: FrozenSet[str] = frozenset()
        self.several_elsewhere: FrozenSet[Tuple[str, int]] = frozenset()
        self.lists_elsewhere: Mapping[Tuple[Optional[str], Optional[int]], Optional[bool]] = {}
        self.depths_elsewhere: Mapping[Tuple[Optional[str], Optional[int]], int] = {}
        self.set_elsewhere: FrozenSet[str] = frozenset()
        self.named_elsewhere: FrozenSet[str] = frozenset()
        self.called_once_elsewhere: FrozenSet[Tuple[str, str]] = frozenset()
        self.is_seeded = False
        self.looked_up_elsewhere: FrozenSet[str] = frozenset()
        self.order_elsewhere: Mapping[str, FrozenSet[str]] = {}
        self.registering: FrozenSet[Tuple[Optional[str], bool]] = frozenset()
        self.is_imported = True
        self.begins_with_tensors = False
        self.reexports = Reexports({}, {})
        self.is_reexported = False
        self._results: Dict[Callable[..., Any], Any] = {}

    @functools.cached_property
    def names(self) -> Names:
        """What the names in this file mean."""
        return Names(self.tree, self.index, self.reexports)

    @functools.cached_property
    def index(self) -> Index:
        """Its nodes, indexed by kind and position."""
        return Index(self.tree)

    @property
    def parents(self) -> Mapping[libcst.CSTNode, libcst.CSTNode]:
        """Maps each node to its parent, in the order of the text."""
        return self.index.parents

    def around(self, node: libcst.CSTNode, kind: Any) -> Any:
        """The innermost ancestor of *node* that is an instance of *kind* (a class or a tuple of classes), or None."""
        found = self.parents.get(node)
        while found is not None and not isinstance(found, kind):
            found = self.parents.get(found)
        return found

    def every(self, kind: Type[_Node], root: Optional[libcst.CSTNode] = None) -> Iterator[_Node]:
        """All nodes of *kind* in the order of the text; with *root*, only *root* and its descendants."""
        return self.index.every(self.tree if root is None else root, kind)

    def assigned_value(self, target: libcst.CSTNode) -> Optional[libcst.BaseExpression]:
        """The value in ``target = value``; None if *target* is bound in any other way."""
        return self.index.assigned_value(target)

    def comments(self) -> Iterator[str]:
        """All comments of the file."""
        return (one.value for one in matchers.findall(self.tree, matchers.Comment()))  # type: ignore[attr-defined]

    def once(self, question: Callable[[Source], Iterator[_Result]]) -> List[_Result]:
        """The cached result of *question* for this source, which is computed only once."""
        if question not in self._results:
            self._results[question] = list(question(self))
        return self._results[question]

    @functools.cached_property
    def _positions(self) -> Positions:
        return Positions(self.text, self.tree, self.index, lambda node: self._provided[node].start)

    @functools.cached_property
    def _provided(self) -> Mapping[libcst.CSTNode, Any]:
        return self._wrapper.resolve(PositionProvider)

    def place(self, node: libcst.CSTNode) -> Tuple[int, int]:
        """Where *node* begins: line from 1, column from 0."""
        return self._positions[node]

    def line(self, node: libcst.CSTNode) -> int:
        """The line where *node* begins, from 1."""
        return self._positions[node][0]

    def found(self, code: str, node: libcst.CSTNode, *, entry_points: str = "", **fields: object) -> Finding:
        """Returns a finding of *code* at *node*."""
        line, column = self._positions[node]
        return finding(code, self.file, line, column + 1, entry_points=entry_points, **fields)

    def replaced(self, new: Mapping[libcst.CSTNode, Any]) -> str:
        """The text of the file with nodes replaced: *new* maps old nodes to new ones; see ``edits``."""
        changes = {old: one for old, one in new.items() if one is not old}
        return self.with_tree(replaced(self.tree, changes, self.parents)) if changes else self.text

    def again(self, text: str) -> Source:
        """Parses a new *text* of the same file, and keeps what is known about the other files of the program.

        Raises:
          UnreadableError: as ``parsed``.
        """
        new = parsed(self.file, text)
        new.batches_elsewhere, new.set_elsewhere = self.batches_elsewhere, self.set_elsewhere
        new.several_elsewhere, new.lists_elsewhere = self.several_elsewhere, self.lists_elsewhere
        new.depths_elsewhere, new.parts_elsewhere = self.depths_elsewhere, self.parts_elsewhere
        new.possible_parts = self.possible_parts
        new.named_elsewhere, new.reexports = self.named_elsewhere, self.reexports
        new.called_once_elsewhere, new.is_seeded = self.called_once_elsewhere, self.is_seeded
        new.is_reexported, new.registering = self.is_reexported, self.registering
        new.begins_with_tensors, new.is_imported = self.begins_with_tensors, self.is_imported
        new.order_elsewhere, new.looked_up_elsewhere = self.order_elsewhere, self.looked_up_elsewhere
        return new

    def with_tree(self, tree: libcst.Module) -> str:
        """The text of the file with *tree* in place of its own, and with the spaces that the parser loses."""
        kept = self.text[: len(self.text) - len(self._end)]
        return with_lost_spaces(tree.code, self._written, kept) + self._end

    @functools.cached_property
    def _written(self) -> str:
        """The text that the unchanged tree generates, which may differ from the file's text in spaces."""
        return self.tree.code

    def statement(self, code: str) -> Any:
        """*code* as a statement, in the indentation of the file."""
        return libcst.parse_statement(code, config=self.tree.config_for_parsing)

    def code(self, node: libcst.CSTNode) -> str:
        """The source code of *node*."""
        return self.tree.code_for_node(node)


def parsed(file: str, text: str) -> Source:
    """Parses *text* as the source of *file*.

    Raises:
      UnreadableError: QC731: *text* is not valid Python; QC732: it is Python 2.
    """
    try:
        if "\0" in text:
            problem = "it contains characters that are not allowed in a program"
            raise UnreadableError(finding("QC731", file, 1, 1, problem=problem))
        return Source(file, text, libcst.parse_module(text[: len(text) - len(_end(text))]))
    except (libcst.ParserSyntaxError, libcst.CSTValidationError, RecursionError) as problem:
        raise UnreadableError(_why_not(file, text, problem)) from None


def _end(text: str) -> str:
    """The end of *text* that is kept out of the parser: trailing blank lines, which it does not always preserve.

    Comments after a whitespace-only line are included, because the parser loses a line before them.
    """
    lines = text.split("\n")
    first = len(lines)
    while first > 1 and lines[first - 1].lstrip()[:1] in ("", "#"):
        first -= 1
    has_spaces = any(line and line.isspace() for line in lines[first:-1])
    code = "\n".join(lines[:first]) if has_spaces else text
    return text[len(code.rstrip()) :]


def plain_tree(file: str, text: str) -> ast.Module:
    """Python's own tree of *text*, without spaces and comments; much faster than ``parsed``.

    Raises:
      UnreadableError: as ``parsed``, except that everything that Python accepts is accepted.
    """
    found = _by_python(file, text)
    if isinstance(found, SyntaxError):
        raise UnreadableError(_why_not(file, text, found))
    return found


def _why_not(file: str, text: str, problem: Exception) -> Finding:
    refusal = _by_python(file, text)
    if not isinstance(refusal, SyntaxError):  # Python accepts it, only libcst's parser does not
        line = getattr(problem, "raw_line", 1)
        return finding("QC731", file, line, 1, problem=f"the parser stops here ({type(problem).__name__})")
    line, column = refusal.lineno or 1, refusal.offset or 1
    if isinstance(refusal, TabError):
        return finding("QC731", file, line, column, problem=_TABS)
    hint = python2.hint(refusal)
    if hint is not None:
        return finding("QC732", file, line, column, hint=hint)
    return finding("QC731", file, line, column, problem=refusal.msg)


def _by_python(file: str, text: str) -> Union[ast.Module, SyntaxError]:
    """The tree that Python's own parser makes of *text*, or its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, file)
    except SyntaxError as refusal:
        return refusal
    except (RecursionError, ValueError) as refusal:
        return SyntaxError(str(refusal))


def decoded(file: str, content: bytes) -> str:
    """Decodes *content* with the encoding that it declares.

    Raises:
      UnreadableError: QC733: it is not text in the encoding that it declares, or that encoding is unknown.
    """
    try:
        return content.decode(_encoding(content))
    except (SyntaxError, UnicodeDecodeError, LookupError) as problem:
        raise UnreadableError(finding("QC733", file, 1, 1, problem=problem)) from None


def encoded(text: str, like: bytes) -> bytes:
    """Encodes *text* in the encoding that *like* declares."""
    return text.encode(_encoding(like))  # "utf-8-sig" also writes the byte order mark


def _encoding(content: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
