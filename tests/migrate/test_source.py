"""What is read from a file's tree at once, against what ``libcst`` itself says of it."""

from __future__ import annotations

import pathlib
import sys
from typing import Iterator, List, Optional

import libcst as cst
import pytest
from libcst.metadata import Assignment, ImportAssignment, MetadataWrapper, PositionProvider, ScopeProvider

from queuecompat.migrate.source.nodes import children, every
from queuecompat.migrate.source.parsing import Source, parsed

ROOT = pathlib.Path(__file__).parents[2]
FILES = [*sorted((ROOT / "tests/scripts/programs").glob("*.py"))[::4], ROOT / "tests/migrate/pipelines.py"]

ODD = {
    "brackets": "x = (a.b).c((d), e=f, *g)\n(y) = [i for i in z if i for j in i]\n",
    "strings": "x = f'{a.b} {c!r:>{d}}' + g.h\ny = 'a' f'{i}' j\n".replace(" j\n", "\n"),
    "characters": "größe = 'ü' + a.b  # é\nc = größe.d; e = f\n",
    "decorators": "@a.b(c)\ndef f(x=y, *z, q: w = 1) -> r: return x\n@d\nclass C(B, metaclass=M): v = f\n",
    "blocks": "for a, (b, *c) in d.e:\n  pass\nelse: f\nwith g as h, i.j as k.l: pass\ntry: m\nexcept n as o: p\n",
    "choices": "a = b if c else d\nif e: f\nelif g: h\nelse: i\nx = lambda j, k=l: j(k)\ndel m.n\n",
    "imports": "import a.b, c as d\nfrom .. import e\nfrom f.g import (h, i as j)\nfrom k import *\n",
    "declared": "def f():\n  global a, b\n  def g():\n    nonlocal c\n    c = a\n  c = 1\n",
    "line ends": "a = b.c\r\nd = e(f)\r\n",
}


def sources() -> List[object]:
    real = [pytest.param(path.read_text(encoding="utf-8"), id=str(path.relative_to(ROOT))) for path in FILES]
    return [*real, *(pytest.param(text, id=name) for name, text in ODD.items())]


@pytest.mark.parametrize("text", sources())
def test_positions_are_those_of_the_provider(text: str) -> None:
    source = parsed("some.py", text)
    theirs = MetadataWrapper(source.tree, unsafe_skip_copy=True).resolve(PositionProvider)
    for node in source.parents:
        if isinstance(node, (cst.Attribute, cst.Call, cst.Name, cst.BaseStatement, cst.BaseSmallStatement)):
            start = theirs[node].start
            assert source.place(node) == (start.line, start.column), source.code(node)


@pytest.mark.parametrize("text", sources())
def test_names_are_bound_where_the_provider_says(text: str) -> None:
    source = parsed("some.py", text)
    scopes = MetadataWrapper(source.tree, unsafe_skip_copy=True).resolve(ScopeProvider)
    for name in source.every(cst.Name):
        scope = scopes.get(name)
        found = [] if scope is None else [one for one in scope[name.value] if isinstance(one, Assignment)]
        assert set(source.names.definitions(name)) == {one.node for one in found}, name.value
        full = {one.name for it in found if isinstance(it, ImportAssignment) for one in
                it.get_qualified_names_for(name.value)}  # fmt: skip
        assert source.names.full(name) in full if full else True


@pytest.mark.parametrize("text", sources())
def test_children_come_in_the_order_of_the_text(text: str) -> None:
    source = parsed("some.py", text)
    mine = [one for one in every(source.tree, cst.BaseExpression)]  # type: ignore[type-abstract]
    assert mine == [one for one in _slowly(source.tree) if isinstance(one, cst.BaseExpression)]
    assert mine == list(source.every(cst.BaseExpression))  # type: ignore[type-abstract]


def _slowly(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def test_the_index_finds_what_is_below_a_node_and_walks_new_nodes() -> None:
    source: Source = parsed("some.py", "a = b(c)\nd = e(f(g))\n")
    second = source.tree.body[1]
    assert [source.code(one) for one in source.every(cst.Call, second)] == ["e(f(g))", "f(g)"]
    new = cst.parse_statement("h(i)")
    assert [one.func.value for one in source.every(cst.Call, new)] == ["h"]  # type: ignore[attr-defined]
    assert children(new)


@pytest.mark.parametrize("end", ["\n\n  \n# end", "\n  \n# end\n", "\n\n\n# end\n\n", "\n    # end\n  \n"])
def test_a_file_with_comments_and_blank_lines_at_its_end_is_read(end: str) -> None:
    """It was refused where a line of mere spaces stood in front of them: the parser loses one."""
    text = "import tensorflow as tf\ndef f():\n    return 1\n" + end
    source = parsed("some.py", text)
    assert source.with_tree(source.tree) == text


LOST = {
    "except": "try:\n    import numpy\nexcept (ImportError, ValueError) :\n    numpy = None\n",
    "except inside": "try:\n  try: a\n  except B : c\nexcept D\\\n  : e\n",
    "form feed at the top": "\f# Ours.\n",
    "form feed before the first statement": "\fimport os\n",
    "form feed before a statement": "x = 1\n\fclass A:\n    y = 2\n\f    z = 3\n",
    "f-string": "x = f'{ y !r : >9 }'\n",
    "backslash": "\\\nx = 1\n",
    "the same in a string": 'x = """\nexcept A:\n"""\ntry: y\nexcept A :\n  z\n',
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_spaces_that_the_parser_loses_come_back(text: str) -> None:
    """The file was refused as no valid Python, and so were all others that were rewritten with it."""
    if text == LOST["f-string"] and sys.version_info < (3, 12):
        pytest.skip("a space in front of a format is Python since 3.12")
    source = parsed("some.py", text + "tf = 1\n")
    assert source.with_tree(source.tree) == source.text
    last = source.tree.body[-1]
    changed = source.replaced({last: cst.parse_statement("tf = 2\n")})
    assert changed == text + "tf = 2\n"


def test_a_line_that_changes_may_lose_spaces_and_no_string_gets_them() -> None:
    source = parsed("some.py", "try: y\nexcept A : z\n")
    assert source.replaced({next(source.every(cst.ExceptHandler)).type: cst.Name("B")}) == "try: y\nexcept B: z\n"
    lines = "try: y\nexcept A :\n  z\n"
    source = parsed("some.py", lines)
    string = cst.parse_statement('x = """\nexcept A:\n  z\n"""\n')
    assert source.replaced({source.tree.body[0]: string}) == 'x = """\nexcept A:\n  z\n"""\n'


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("reader = Reader(files)", "Reader(files)"),
        ("first = reader = Reader(files)", "Reader(files)"),
        ("reader, size = Reader(files), 3", "Reader(files)"),
        ("[size, reader] = (3, Reader(files))", "Reader(files)"),
        ("(reader, size), files = (Reader(files), 3), []", "Reader(files)"),
        ("reader, size = made()", None),
        ("reader, *rest = Reader(files), 3, 4", None),
        ("reader, size = Reader(files), *others", None),
        ("for reader in readers: pass", None),
    ],
)
def test_of_an_assignment_to_several_names_each_gets_its_part_of_the_value(line: str, value: Optional[str]) -> None:
    read = parsed("train.py", f"{line}\n")
    [target] = [one for one in read.every(cst.Name) if one.value == "reader"]
    found = read.assigned_value(target)
    assert (None if found is None else read.code(found)) == value
