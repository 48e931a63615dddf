"""Rewrites imports for an eager program: TensorFlow 1's names, with TensorFlow 2's behaviour.

``import tensorflow as tf`` and ``import queuecompat.v1 as tf`` become ``import tensorflow.compat.v1 as tf``, so that
the program can keep its names; ``tf_upgrade_v2`` can replace them later. contrib is imported from queuecompat.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.reexports import used_reexports
from queuecompat.migrate.analysis.tf1_files import needs_tf1_names
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.names import Reexport, meaning
from queuecompat.migrate.source.nodes import children, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["eager_imports", "imported_too", "reexported_tensorflow", "tensorflow_name"]

_Import = Union[cst.Import, cst.ImportFrom]
_RUN_WITH_THE_MODULE = (
    cst.BaseSuite, cst.Else, cst.ExceptHandler, cst.Finally, cst.If, cst.SimpleStatementLine, cst.Try, cst.With,
)  # fmt: skip


def tensorflow_name(source: Source) -> Optional[str]:
    """The file's name for TensorFlow, ``tf``; None if it has none."""
    found = _imported_name(source)
    return next((name for name, _ in _reexported(source)), None) if found is None else found


def reexported_tensorflow(source: Source) -> Optional[Reexport]:
    """TensorFlow as *source* gets it from another file; None if *source* imports it itself."""
    return next((one for _, one in _reexported(source)), None) if _imported_name(source) is None else None


def _imported_name(source: Source) -> Optional[str]:
    for alias, module in _imported(_import_nodes(source.tree)):
        found = meaning(module)
        if found is not None and found.symbol == "tf" and found.spelling != "private":
            return alias
    return None


def _reexported(source: Source) -> Iterator[Tuple[str, Reexport]]:
    """Names of *source* for TensorFlow that come from another file of the program."""
    for node, brought in source.once(used_reexports):
        found = meaning(brought.full)
        if isinstance(node, cst.Name) and found is not None and found.symbol == "tf":
            yield node.value, brought


def eager_imports(source: Source, tree: cst.Module, modules: Sequence[str]) -> cst.Module:
    """*tree*, a rewritten *source*, with its imports changed and *modules* imported."""
    new: Dict[cst.CSTNode, Any] = {}
    if needs_tf1_names(source):
        for node in _import_nodes(tree):
            new[node] = _eager_from(node) if isinstance(node, cst.ImportFrom) else _eager_import(node)
    return imported_too(tree, modules, new)


def imported_too(
    tree: cst.Module, modules: Sequence[str], new: Optional[Mapping[cst.CSTNode, Any]] = None
) -> cst.Module:
    """*tree* with *modules* imported at its top, and with *new* mapping other nodes to their replacements.

    The modules are imported before TensorFlow. If TensorFlow is imported only in functions, or comes from another file,
    they are imported before the first import, or after the docstring.
    """
    changes = dict(new or {})
    lines = _before_definitions(tree)
    imported = {module for _, module in _imported(node for line in lines for node in _imports_run_by(line))}
    wanted = [name for name in modules if name not in imported]
    if wanted:
        first = next(
            (one for test in (_is_import_of_tensorflow, _is_import) for one in lines if _runs(one, test)), None
        )
        if first is not None:
            changes[first] = _with_wanted(replaced(first, changes), wanted)
        else:
            body = [replaced(one, changes) for one in tree.body]
            kept = sum(1 for _ in itertools.takewhile(_stays_first, body))
            changes = {tree: tree.with_changes(body=[*body[:kept], *_wanted_above(body[kept:], wanted)])}
    result: cst.Module = replaced(tree, changes)
    return result


def _before_definitions(tree: cst.Module) -> List[cst.CSTNode]:
    """The statements that run before the first function or class is defined, and so before its decorators."""
    is_definition = (cst.ClassDef, cst.FunctionDef)
    return list(itertools.takewhile(lambda line: not isinstance(line, is_definition), tree.body))


def _imports_run_by(line: cst.CSTNode) -> Iterator[_Import]:
    """The imports that run when *line* does, including those inside ``if``, ``try`` and ``with``."""
    if isinstance(line, (cst.Import, cst.ImportFrom)):
        yield line
    elif isinstance(line, _RUN_WITH_THE_MODULE):
        for child in children(line):
            yield from _imports_run_by(child)


def _runs(line: cst.CSTNode, test: Callable[[cst.CSTNode], bool]) -> bool:
    return any(map(test, _imports_run_by(line)))


def _stays_first(line: cst.CSTNode) -> bool:
    """Whether *line* is a docstring or an import from ``__future__``, before which nothing may stand."""
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    one = line.body[0]
    if isinstance(one, cst.Expr):
        return isinstance(one.value, (cst.ConcatenatedString, cst.SimpleString))
    return isinstance(one, cst.ImportFrom) and not _is_import(one)


def _wanted_above(body: Sequence[Any], wanted: Sequence[str]) -> List[Any]:
    """The statements *body* with imports and two blank lines before them and before the comments above them."""
    first, *others = body
    above = list(itertools.takewhile(lambda line: line.comment is None, first.leading_lines))
    comments = first.leading_lines[len(above) :]
    blank = cst.EmptyLine(indent=False)
    imports = _with_wanted(first.with_changes(leading_lines=above), wanted).nodes[:-1]
    return [*imports, first.with_changes(leading_lines=[blank, blank, *comments]), *others]


def _import_nodes(tree: cst.CSTNode) -> Iterator[_Import]:
    for node in every(tree, cst.BaseSmallStatement):  # type: ignore[type-abstract]
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            yield node


def _imported(nodes: Iterable[_Import]) -> List[Tuple[str, str]]:
    """Each imported name, with the module or name that it refers to."""
    found = []
    for node in nodes:
        if not isinstance(node.names, cst.ImportStar):
            base = f"{dotted_name(node.module)}." if isinstance(node, cst.ImportFrom) else ""
            for alias in node.names:
                name = dotted_name(alias.name)
                bound = dotted_name(alias.asname.name) if alias.asname else name
                found.append((bound, base + name))
    return found


def _with_wanted(line: Any, wanted: Sequence[str]) -> Any:
    lines = [cst.SimpleStatementLine([cst.Import([cst.ImportAlias(_name(name))])]) for name in wanted]
    lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
    return cst.FlattenSentinel([*lines, line.with_changes(leading_lines=[])])


def _eager_import(node: cst.Import) -> cst.Import:
    return node.with_changes(names=[_eager(alias) for alias in node.names])


def _is_import(node: cst.CSTNode) -> bool:
    """Whether *node* imports anything but ``__future__``, which has to come first."""
    if isinstance(node, cst.ImportFrom):
        return dotted_name(node.module) != "__future__"
    return isinstance(node, cst.Import)


def _is_import_of_tensorflow(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ImportFrom):
        return meaning(dotted_name(node.module)) is not None
    return isinstance(node, cst.Import) and any(meaning(dotted_name(alias.name)) is not None for alias in node.names)


def _eager(alias: cst.ImportAlias) -> cst.ImportAlias:
    module = dotted_name(alias.name)
    if module in ("tensorflow", "queuecompat.v1"):
        name = alias.asname or cst.AsName(cst.Name("tensorflow"))
        return alias.with_changes(name=_name("tensorflow.compat.v1"), asname=name)
    return alias.with_changes(name=_name(_place(module)))


def _eager_from(node: cst.ImportFrom) -> cst.ImportFrom:
    module = dotted_name(node.module)
    if module == "queuecompat" and not isinstance(node.names, cst.ImportStar):
        is_v1 = all(dotted_name(alias.name) == "v1" for alias in node.names)
        return node.with_changes(module=_name("tensorflow.compat")) if is_v1 else node
    if node.relative or meaning(module) is None:
        return node
    return node.with_changes(module=_name(_place(module)))


def _place(module: str) -> str:
    """The new place of a module below TensorFlow 1's ``tensorflow``, or below ``queuecompat.v1``."""
    for package in ("queuecompat.v1", "tensorflow"):
        if module.startswith(package + ".contrib"):
            return "queuecompat" + module[len(package) :]
        if module.startswith(package + ".python"):
            return "tensorflow" + module[len(package) :]
    if module in ("tensorflow", "queuecompat.v1") or module.startswith("queuecompat.v1."):
        return "tensorflow.compat.v1" + module.partition("v1" if module.startswith("q") else "tensorflow")[2]
    return module


def _name(dotted: str) -> Any:
    return cst.parse_expression(dotted)
