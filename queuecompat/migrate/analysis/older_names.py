"""Finds uses of names that Python, NumPy or SciPy have removed (``reference.older_names``).

What it leaves alone: calls of ``tostring`` with arguments, which belong to XML trees, and methods that a class of the
file defines itself. Calls that are rejected today are found by ``older_calls``.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.source.nodes import argument, method, method_name
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference.older_names import (
    IN_CALLS,
    METHODS,
    MODULES,
    OF_SOME_VERSIONS,
    OLDER,
    OWNERS,
    OWNERS_OF_METHODS,
)

__all__ = ["OlderName", "may_have_older_names", "older_names"]

_NAMES = "|".join(sorted({name for names in OLDER.values() for name in names} | set(METHODS) | {"fromstring"}))
_PACKAGES = "|".join(sorted({module.partition(".")[0] for module in (*OLDER, *MODULES)}))
_OF_METHODS = "|".join(sorted(METHODS))
_CALLS = (
    r"\bcopy=False|\b(encoding|interpolation|normed)=|\bissubdtype\b|\brandom\.sample\("
    r"|(stack|\bsum)\((\s*\n|.*\bfor\b|(map|zip|filter)\()"
)
# Methods that classes of other packages have too, each with a module that the file must import.
_OF_MODULES = {"as_matrix": "pandas", "getchildren": "xml", "getiterator": "xml"}
_OPENED = re.compile(r"\bopen\(.*[\"'][abrt]*U[abrt]*[\"']")
_MODULES = re.compile(rf"\b({_PACKAGES})\b|\.({_OF_METHODS})\b")
# The lookbehind leaves out tf.cast and tf.rank, which nearly every file has.
_USED = re.compile(rf"(?<!\btf)\.\s*({_NAMES})\b|\bfrom\s+({_PACKAGES})\b|\bimport\s+(imghdr|imp)\b|{_CALLS}")


class OlderName(NamedTuple):
    """One use.

    Attributes:
      node: the name where it is used, or what imports it.
      module: the module in the table; "" for a method.
      name: the removed name in *module*; "" if the module itself was removed.
      written: the name as the file spells it.
      is_called: whether it is the function of a call that needs a different form.
    """

    node: cst.CSTNode
    module: str
    name: str
    written: str
    is_called: bool = False

    @property
    def full(self) -> str:
        """The full name, such as ``numpy.float``."""
        return f"{self.module}.{self.name}" if self.name else self.module

    @property
    def owner(self) -> str:
        """The package that had the name: Python, NumPy ..."""
        if self.full in OF_SOME_VERSIONS:
            return OF_SOME_VERSIONS[self.full]
        return OWNERS[self.module] if self.module else OWNERS_OF_METHODS.get(self.name, "NumPy")

    @property
    def now(self) -> str:
        """For messages: what to write instead, ``np.frombuffer(...).copy()``."""
        if not self.name:
            return MODULES[self.module]
        if not self.module:
            now = METHODS[self.name]
            return f"{now}()" if now.isidentifier() else now
        now = IN_CALLS[self.full].format("...") if self.full in IN_CALLS else OLDER[self.module][self.name]
        return now.replace("PIL.", "").replace("numpy.", "np.")


def may_have_older_names(text: str) -> bool:
    """Whether *text* may contain such a name, so that its syntax tree has to be examined."""
    is_used = "yaml.load" in text or bool(_MODULES.search(text) and _USED.search(text))
    return is_used or bool(_OPENED.search(text)) or ".ModeKeys" in text


def older_names(source: Source) -> Iterator[OlderName]:
    """Each use, grouped by kind of node."""
    for node in source.every(cst.Attribute):
        full, around = source.names.full(node) or "", source.parents.get(node)
        module, _, name = full.rpartition(".")
        if name in OLDER.get(module, ()) and not isinstance(around, cst.ImportAlias):
            is_called = full in IN_CALLS and isinstance(around, cst.Call) and around.func is node
            yield OlderName(node, module, name, source.code(node), is_called)
    for line in source.every(cst.ImportFrom):
        module = "" if line.relative else dotted_name(line.module)
        if module in MODULES:
            yield OlderName(line, module, "", module)
        for alias in line.names if not isinstance(line.names, cst.ImportStar) else ():
            name = dotted_name(alias.name)
            if f"{module}.{name}" in MODULES:
                yield OlderName(alias, f"{module}.{name}", "", f"{module}.{name}")
            if name in OLDER.get(module, ()):
                yield OlderName(alias, module, name, f"{module}.{name}")
    for alias in (alias for line in source.every(cst.Import) for alias in line.names):
        module, _, name = dotted_name(alias.name).rpartition(".")
        if dotted_name(alias.name) in MODULES:
            yield OlderName(alias, dotted_name(alias.name), "", dotted_name(alias.name))
        if name in OLDER.get(module, ()):
            yield OlderName(alias, module, name, f"{module}.{name}")
    yield from _methods(source)


def _methods(source: Source) -> Iterator[OlderName]:
    own = {one.name.value for one in source.every(cst.FunctionDef)}
    for call in source.every(cst.Call):
        full, name = source.names.full(call.func), method(call)
        # ``array.array`` and PIL images had tostring too, and lost it earlier.
        is_bare = not METHODS.get(name, "").isidentifier() or not call.args
        if name in METHODS and is_bare and full is None and name not in own and _may_be_of_module(source, name):
            yield OlderName(method_name(call), "", name, f".{name}()")
        if full == "numpy.fromstring" and argument(call, "sep", 3) is None and not any(one.star for one in call.args):
            yield OlderName(call.func, "numpy", "fromstring", f"{source.code(call.func)}(bytes)", is_called=True)


def _may_be_of_module(source: Source, name: str) -> bool:
    module = _OF_MODULES.get(name)
    return module is None or bool(re.search(rf"\b(from|import)\s+{module}\b", source.text))
