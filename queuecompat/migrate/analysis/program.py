"""The files of one command as one program: which file imports which, and what a name of another file refers to.

Rule 1: ``module_files`` decides which file a module is.
Rule 2: a name is followed through the imports of other files, including ``from reader import *``.
Rule 3: a method of an object is resolved if ``objects`` knows its class.
Rule 4: ``importlib.import_module("datasets." + name)`` imports every module of the package ``datasets``. Other names
        that are known only at run time are not followed.
"""

from __future__ import annotations

import functools
import re
from typing import Collection, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.module_files import ModuleFiles
from queuecompat.migrate.analysis.objects import Objects
from queuecompat.migrate.analysis.places import Place, Use
from queuecompat.migrate.analysis.reexports import TopNames, reexports, top_names, used_reexports
from queuecompat.migrate.analysis.tf1_files import needs_tf1_names, shows_tf1, use_of_tensorflow_2
from queuecompat.migrate.source.names import meaning
from queuecompat.migrate.source.parsing import Source, UnreadableError, plain_tree

__all__ = ["Place", "Program", "Use"]

_NAMED = re.compile(r"keras|queuecompat|tensorflow|tf_slim")
_IMPORT = re.compile(r"^import tensorflow(?: as (\w+))?", re.MULTILINE)
_IMPORTING = re.compile("import_module|__import__")
_LONGEST = 8  # parts of a name; stops circular imports that would make each other's names ever longer


class Program:
    """The files of one command.

    Attributes:
      sources: the files, in their order.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self._by_file = {source.file: source for source in sources}
        # Caches: these are asked for many times.
        self._imported: Dict[Source, Sequence[Source]] = {}
        self._reached: Dict[Source, Sequence[Source]] = {}
        self._uses: Dict[Source, List[Use]] = {}
        self._objects = Objects(sources, self.uses, self._place_of)
        self._files: Dict[Tuple[Source, str], Optional[Source]] = {}
        self._meanings: Dict[Tuple[Source, str], Optional[Place]] = {}
        self._absent: Set[Tuple[Source, Tuple[str, ...]]] = set()  # names that the files do not have
        self._module_files = ModuleFiles(self._by_file)
        self._tops = {source.file: _top_names(source) for source in sources}
        brought = reexports(self._tops)
        for source in sources:
            source.reexports = brought[source.file]
        for source in sources:
            for other in self.reexporting(source) if needs_tf1_names(source) else ():
                other.is_reexported = True

    # Files.

    @functools.cached_property
    def tf1(self) -> Set[Source]:
        """The TensorFlow 1 files: by their own code, or because such a file passes graph tensors to them.

        A file from which a TensorFlow 1 file gets its name for TensorFlow is one too.
        """
        found = dict.fromkeys(source for source in self.sources if shows_tf1(source))
        waiting = list(found)
        near: Dict[Source, None] = {}
        while waiting:
            for source in waiting:
                passed = {use.place.source for use in self.uses(source) if _passes_tensors(source, use.node)}
                near.update(dict.fromkeys(passed | self.reexporting(source)))
            # Each file found may leave fewer users outside TensorFlow 1, so that files shared with these become free.
            waiting = [
                one for one in self.sources if one in near and one not in found and not self._is_shared(one, found)
            ]
            found.update(dict.fromkeys(waiting))
        return set(found)

    def reexporting(self, source: Source) -> Set[Source]:
        """The files from which *source* gets names of TensorFlow that it uses.

        It gets a name that it imports itself, too, if ``import *`` brings it once more.
        """
        used = [one for _, one in source.once(used_reexports)]
        bound, before = self._tops[source.file].bound, set(_before_stars(source))
        again = [one for name, one in source.reexports.by_star.items() if name in before and meaning(bound[name])]
        return {self._by_file[one.file] for one in (*used, *again)}

    def _is_shared(self, source: Source, tf1: Collection[Source], seen: FrozenSet[Source] = frozenset()) -> bool:
        """Whether a file that is not TensorFlow 1 code imports *source*, which must then stay unchanged for it.

        A file that contains only imports counts as the files that import it.

        Args:
          tf1: the files that are known to be TensorFlow 1 code.
        """
        users = [one for one in self.sources if one not in tf1 and one not in seen and source in self.imported(one)]
        return any(not _only_imports(one) or self._is_shared(one, tf1, seen | {source}) for one in users)

    def may_be_of_tensorflow_2(self, source: Source) -> bool:
        """Whether *source* may be part of a TensorFlow 2 program.

        A file that does not name TensorFlow, or only imports it, is judged by the files that import it and, if it is
        started, by those that it imports. So is a file whose names TensorFlow 1 has as well.
        """
        if source in self.tf1:
            return False
        importers = self.importers(source)
        others = [one for one in importers if one not in self.tf1]
        if importers and not others and "__main__" not in source.text and use_of_tensorflow_2(source) is None:
            return False
        is_started = not importers or bool(others)
        near = [source, *others, *(self.reached(source) if is_started else ())]
        return any(one not in self.tf1 and _NAMED.search(_without_unused_import(one.text)) for one in near)

    @functools.cached_property
    def in_tensorflow_2(self) -> Set[Source]:
        """The files that programs of TensorFlow 2 import, or may import."""
        others = (one for one in self.sources if self.may_be_of_tensorflow_2(one))
        return {one for other in others for one in self.reached(other)}

    def imported(self, source: Source) -> Sequence[Source]:
        """The files that *source* imports directly."""
        if source not in self._imported:
            found = self._module_files.imported(source.file, _modules(source))
            possible = [one for package in _packages(source) for one in self.sources if _is_in(package, one)]
            files = dict.fromkeys([*(self._by_file[one.file] for one in found), *possible])
            self._imported[source] = tuple(one for one in files if one is not source)
        return self._imported[source]

    def reached(self, source: Source) -> Sequence[Source]:
        """The files that *source* imports, directly or indirectly."""
        if source not in self._reached:
            found = dict.fromkeys(self.imported(source))
            waiting = list(found)
            for one in waiting:
                more = [other for other in self.imported(one) if other not in found and other is not source]
                found.update(dict.fromkeys(more))
                waiting += more
            self._reached[source] = tuple(found)
        return self._reached[source]

    def are_together(self, source: Source, other: Source) -> bool:
        """Whether one of the two files imports the other, or a third file imports both, directly or indirectly."""
        return other in self._neighbours[source]

    @functools.cached_property
    def _neighbours(self) -> Dict[Source, Set[Source]]:
        """For each file, the set of files for which ``are_together`` holds, itself included."""
        found: Dict[Source, Set[Source]] = {one: {one} for one in self.sources}
        for one in self.sources:
            group = (one, *self.reached(one))
            for other in group:
                found[other].update(group)
        return found

    def importers(self, source: Source) -> List[Source]:
        """The files that import *source*, directly or indirectly."""
        return [one for one in self.sources if source in self.reached(one)]

    def file(self, source: Source, module: str) -> Optional[Source]:
        """The file of *module*, as *source* spells it."""
        if (source, module) not in self._files:
            found = self._module_files.find(source.file, module)
            self._files[source, module] = None if found is None else self._by_file[found.file]
        return self._files[source, module]

    # Names.

    def uses(self, source: Source) -> Sequence[Use]:
        """Where *source* names functions or classes of other files."""
        if source not in self._uses:
            self._uses[source] = list(self._find_uses(source))
        return self._uses[source]

    def users(self, place: Place) -> List[Tuple[Source, Use]]:
        """Where other files name a function, method or class."""
        found = ((one, use) for one in self.sources for use in (*self.uses(one), *self.methods(one)))
        return [(one, use) for one, use in found if use.place.node is place.node]

    @functools.cached_property
    def modules_in_tables(self) -> Set[Source]:
        """The files that others use as values, such as ``{"flowers": flowers}``."""
        found: Set[Source] = set()
        for source in self.sources:
            names = source.every(cst.Name) if self.imported(source) else ()
            full = (source.names.full(one) for one in names if not _is_piece(source, one))
            modules = (self.file(source, one) for one in dict.fromkeys(filter(None, full)))
            found.update(one for one in modules if one is not None)
        return found

    def is_unknown_member(self, source: Source, node: cst.BaseExpression) -> bool:
        """Whether *node* names something in a file of the program, but no function or class that is known."""
        names = self._full_names(source, node)
        parts = [name[: end.start()] for name in names for end in re.finditer(r"(?<=\w)\.", name)]
        is_inside = any(self.file(source, one) is not None for one in parts)
        return is_inside and self._place_of(source, node) is None

    def methods(self, source: Source) -> Sequence[Use]:
        """Where *source* names methods of objects of classes of other files."""
        return self._objects.methods(source)

    def _find_uses(self, source: Source) -> Iterator[Use]:
        if not self.imported(source):
            return
        for node in source.parents:
            if not isinstance(node, (cst.Attribute, cst.Name)) or _is_piece(source, node):
                continue
            for name in self._full_names(source, node):
                place = self._meaning(source, name)
                if place is not None:
                    yield Use(node, name, place)

    def _full_names(self, source: Source, node: cst.BaseExpression) -> List[str]:
        """The full names that *node*, a name in *source*, may have: more than one after several ``import *``."""
        full = source.names.full(node)
        if full is not None or not isinstance(node, cst.Name) or source.names.definitions(node):
            return [full] if full else []
        return [f"{star}.{node.value}" for star in _stars(source) if self.file(source, star) is not None]

    def _place_of(self, source: Source, node: cst.BaseExpression) -> Optional[Place]:
        found = (self._meaning(source, name) for name in self._full_names(source, node))
        return next((one for one in found if one is not None), None)

    def _meaning(self, source: Source, full: str) -> Optional[Place]:
        """What *full*, a full name as *source* spells it, refers to."""
        if (source, full) not in self._meanings:
            seen: Set[Tuple[Source, Tuple[str, ...]]] = set()
            found = self._meanings[source, full] = self._place(source, full, seen)
            if found is None:
                self._absent |= seen  # every name that was searched on the way is absent too
        return self._meanings[source, full]

    def _place(self, source: Source, full: str, seen: Set[Tuple[Source, Tuple[str, ...]]]) -> Optional[Place]:
        """As ``_meaning``, without the names in *seen*: files that import each other (``import *``) would loop."""
        dots = len(full) - len(full.lstrip("."))
        parts = full[dots:].split(".")
        for length in range(len(parts) - 1, -1, -1):
            found = self.file(source, "." * dots + ".".join(parts[:length])) if length or dots else None
            if found is not None and found is not source:
                return self._member(found, tuple(parts[length:]), seen)
        return None

    def _member(
        self, source: Source, names: Tuple[str, ...], seen: Set[Tuple[Source, Tuple[str, ...]]]
    ) -> Optional[Place]:
        """A function or class at the top level of *source*, a method of such a class, or what *source* imports."""
        key = (source, names)
        if key in seen or key in self._absent or len(names) > _LONGEST:
            return None
        seen.add(key)
        for one in source.tree.body:
            if isinstance(one, (cst.ClassDef, cst.FunctionDef)) and len(names) == 1 and one.name.value == names[0]:
                return Place(source, one)
            if isinstance(one, cst.ClassDef) and len(names) == 2 and one.name.value == names[0]:
                return self._of_class(source, one, names[1], seen)
        for full in _imported_as(source, names[0]):
            found = self._place(source, ".".join((full, *names[1:])), seen)
            if found is not None:
                return found
        return None

    def _of_class(
        self, source: Source, kind: cst.ClassDef, name: str, seen: Set[Tuple[Source, Tuple[str, ...]]]
    ) -> Optional[Place]:
        """The method *name* of *kind*, or of its base classes."""
        for one in kind.body.body:
            if isinstance(one, cst.FunctionDef) and one.name.value == name:
                return Place(source, one)
        for base in kind.bases:
            for full in self._full_names(source, base.value) or [source.code(base.value)]:
                names = tuple(full.split("."))
                found = self._member(source, (*names, name), seen) or self._place(source, f"{full}.{name}", seen)
                if found is not None:
                    return found
        return None


def _without_unused_import(text: str) -> str:
    """*text* without ``import tensorflow as tf`` if it uses ``tf`` in no other place."""
    found = _IMPORT.search(text)
    if found is None:
        return text
    rest = text[: found.start()] + text[found.end() :]
    return text if re.search(rf"\b{found[1] or 'tensorflow'}\b", rest) else rest


def _only_imports(source: Source) -> bool:
    """Whether *source* contains only imports and docstrings."""
    kinds = (cst.Import, cst.ImportFrom, cst.Expr)
    lines = [one for one in source.tree.body if isinstance(one, cst.SimpleStatementLine)]
    parts = [part for line in lines for part in line.body]
    is_plain = len(lines) == len(source.tree.body) and all(isinstance(part, kinds) for part in parts)
    return is_plain and not any(True for _ in source.every(cst.Call))


def _top_names(source: Source) -> TopNames:
    try:
        return top_names(plain_tree(source.file, source.text))
    except UnreadableError:  # written for a newer Python than this one
        return TopNames()


def _modules(source: Source) -> Iterator[str]:
    """The modules that the imports of *source* name; for ``from a import b`` both ``a.b`` and ``a``."""
    for node in source.every(cst.Import):
        yield from (dotted_name(alias.name) for alias in node.names)
    for one in source.every(cst.ImportFrom):
        module = _from(one)
        yield module
        if not isinstance(one.names, cst.ImportStar):
            yield from (module + ("" if module.endswith(".") else ".") + dotted_name(alias.name) for alias in one.names)
    if "import_module" in source.text:
        yield from filter(None, map(source.names.full, source.every(cst.Call)))


def _packages(source: Source) -> Iterator[str]:
    """The packages of which *source* imports a module that is known only at run time."""
    for call in source.every(cst.Call) if _IMPORTING.search(source.text) else ():
        if call.args and source.code(call.func).endswith(("import_module", "__import__")):
            prefix = _beginning(source, call.args[0].value)
            if "." in prefix.strip("."):
                yield prefix.rpartition(".")[0]
            elif prefix.endswith("."):
                yield prefix.strip(".")


def _beginning(source: Source, value: Optional[cst.BaseExpression]) -> str:
    """The constant beginning of a string that is put together: ``"a." + name``, ``"a.%s" % name``, ``f"a.{name}"``."""
    if isinstance(value, cst.BinaryOperation):
        found = _beginning(source, value.left)
        return found.partition("%")[0] if isinstance(value.operator, cst.Modulo) else found
    if isinstance(value, cst.FormattedString):
        first = value.parts[0] if value.parts else None
        return first.value if isinstance(first, cst.FormattedStringText) else ""
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "format":
        return _beginning(source, value.func.value).partition("{")[0]
    if isinstance(value, cst.Name):
        made = source.names.definitions(value)
        return _beginning(source, source.assigned_value(made[0])) if len(made) == 1 else ""
    return value.raw_value if isinstance(value, cst.SimpleString) else ""


def _is_in(package: str, source: Source) -> bool:
    """Whether *source* is a module of *package*, in whatever folder that is."""
    folder = source.file.replace("\\", "/").rpartition("/")[0]
    return f"/{folder}".endswith(f"/{package.replace('.', '/')}")


def _from(node: cst.ImportFrom) -> str:
    return "." * len(node.relative) + dotted_name(node.module)


def _stars(source: Source) -> Iterator[str]:
    """The modules of ``from ... import *``."""
    return (_from(node) for node in source.every(cst.ImportFrom) if isinstance(node.names, cst.ImportStar))


def _before_stars(source: Source) -> Iterator[str]:
    """The names that imports at the top level bind before an ``import *`` may bind them again."""
    bound: List[str] = []
    lines = [one for one in source.tree.body if isinstance(one, cst.SimpleStatementLine)]
    for node in [part for line in lines for part in line.body]:
        if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar):
            yield from bound
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            bound += [dotted_name(one.asname.name if one.asname else one.name) for one in node.names]  # type: ignore[union-attr]


def _imported_as(source: Source, name: str) -> Iterator[str]:
    """The full names to which imports of *source* bind *name*, or may bind it (``import *``)."""
    for node in source.every(cst.ImportFrom):
        module = _from(node)
        base = module if module.endswith(".") else f"{module}."
        if isinstance(node.names, cst.ImportStar):
            yield base + name
            continue
        for alias in node.names:
            bound = dotted_name(alias.asname.name) if alias.asname else dotted_name(alias.name)
            if bound == name:
                yield base + dotted_name(alias.name)
    for one in source.every(cst.Import):
        for alias in one.names:
            if alias.asname and dotted_name(alias.asname.name) == name:
                yield dotted_name(alias.name)


def _is_piece(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is a part of a longer name, of an import or of a keyword."""
    parent = source.parents.get(node)
    if isinstance(parent, (cst.Attribute, cst.ImportAlias, cst.ImportFrom, cst.AsName)):
        return True
    return isinstance(parent, cst.Arg) and parent.keyword is node


def _passes_tensors(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is called with an argument that certainly comes from TensorFlow."""
    call = source.parents.get(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return False
    return any(_is_tensor(source, name) for arg in call.args for name in source.every(cst.Name, arg.value)) or any(
        source.names.symbol(one.func) for arg in call.args for one in source.every(cst.Call, arg.value)
    )


def _is_tensor(source: Source, name: cst.Name) -> bool:
    """Whether the name is assigned the result of a TensorFlow function, also by ``with ... as``."""
    for one in source.names.definitions(name):
        statement = source.around(one, cst.Assign) or source.around(one, cst.WithItem)
        if statement is not None and any(source.names.symbol(call.func) for call in source.every(cst.Call, statement)):
            return True
    return False
