"""``--to v1``: imports of tensorflow become imports of ``queuecompat.v1``, under the same names.

Only import statements change. TensorFlow 2 files are left alone, because queuecompat.v1 turns TensorFlow 2 behaviour
off; ``tf1_files`` decides which files are TensorFlow 1 code. Imports of ``tensorflow.compat.v2`` are left alone too.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name, entry_points_and_advice, mentions
from queuecompat.migrate.analysis.tf1_files import shows_tf1, use_of_tensorflow_2
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.rewritten import ALONE, Rewritten, Surroundings
from queuecompat.migrate.source.parsing import Source

__all__ = ["v1"]

_BY_A_STRING = ("importlib.import_module", "builtins.__import__", "__import__")


def v1(source: Source, around: Surroundings = ALONE) -> Rewritten:
    """Rewrites *source* with its imports replaced."""
    eager = use_of_tensorflow_2(source)
    if eager is not None:
        return Rewritten(source.text, [source.found("QC741", eager.node, call=eager.written)])
    if not (around.is_tf1 or shows_tf1(source)):
        return Rewritten(source.text, list(_imports_by_a_string(source)))
    new: Dict[cst.CSTNode, Any] = {one: _import(one) for one in source.every(cst.Import)}
    new.update((one, _import_from(one)) for one in source.every(cst.ImportFrom))
    return Rewritten(source.replaced(new), [*_imports_by_a_string(source), *_removed(source)])


def _removed(source: Source) -> Iterator[Finding]:
    """Names that ``queuecompat.v1`` does not have either."""
    for use in source.once(mentions):
        if use.row.status == "gone":
            entry_points, advice = entry_points_and_advice(use.row)
            yield source.found(use.row.code, use.node, call=use.written, entry_points=entry_points, advice=advice)


def _imports_by_a_string(source: Source) -> Iterator[Finding]:
    for call in source.every(cst.Call):
        name = source.names.full(call.func) or dotted_name(call.func)
        text = call.args[0].value if call.args else None
        value = text.evaluated_value if isinstance(text, cst.SimpleString) else None
        if name in _BY_A_STRING and isinstance(value, str) and _is_within(value, "tensorflow"):
            yield source.found("QC742", call, call=source.code(call))


def _import(node: cst.Import) -> cst.Import:
    names = [new for alias in node.names for new in _swapped(alias)]
    if all(new is old for new, old in zip(names, node.names)):
        return node
    return node.with_changes(names=_separated(names))


def _import_from(node: cst.ImportFrom) -> cst.ImportFrom:
    module = "" if node.relative else dotted_name(node.module)
    if module == "tensorflow.compat" and _are_all_v1(node):
        return node.with_changes(module=_name("queuecompat"))
    if _is_within(module, "tensorflow.compat") and not _is_within(module, "tensorflow.compat.v1"):
        return node
    if _is_within(module, "tensorflow"):
        return node.with_changes(module=_name(_ours(module)))
    return node


def _swapped(alias: cst.ImportAlias) -> Sequence[cst.ImportAlias]:
    """The replacement of ``import a.b`` or ``import a.b as c``."""
    module = dotted_name(alias.name)
    if module == "tf_slim":
        return [_as(alias, "queuecompat.v1.contrib.slim", "tf_slim")]
    if not _is_within(module, "tensorflow") or _is_within(module, "tensorflow.compat.v2"):
        return [alias]
    ours = _ours(module)
    if alias.asname is not None:
        return [alias.with_changes(name=_name(ours))]
    # ``import tensorflow.a.b`` loads a.b and binds ``tensorflow`` to the top-level module.
    below = [] if ours == "queuecompat.v1" else [cst.ImportAlias(_name(ours))]
    return [_as(alias, "queuecompat.v1", "tensorflow"), *below]


def _as(alias: cst.ImportAlias, module: str, name: str) -> cst.ImportAlias:
    return alias.with_changes(name=_name(module), asname=alias.asname or cst.AsName(cst.Name(name)))


def _ours(module: str) -> str:
    theirs = "tensorflow.compat.v1" if _is_within(module, "tensorflow.compat.v1") else "tensorflow"
    return "queuecompat.v1" + module[len(theirs) :]


def _separated(names: List[cst.ImportAlias]) -> List[cst.ImportAlias]:
    """*names* with a comma after each but the last, where there is none yet."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    missing = cst.MaybeSentinel.DEFAULT
    return [name.with_changes(comma=comma) if name.comma is missing else name for name in names[:-1]] + [
        names[-1].with_changes(comma=missing)
    ]


def _are_all_v1(node: cst.ImportFrom) -> bool:
    return not isinstance(node.names, cst.ImportStar) and all(dotted_name(one.name) == "v1" for one in node.names)


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def _name(dotted: str) -> Any:
    return cst.parse_expression(dotted)
