"""Generated programs over several files: which file has which definition, how it is imported, and what is started.

The definitions are cut into files in their order; so a file needs only those before it, except what it imports inside
of its functions.
"""

from __future__ import annotations

import ast
import random
import re
from typing import Callable, Dict, List, NamedTuple, Sequence, Set, Tuple

from tests.migrate.runnable import as_main, drawn
from tests.migrate.runnable_forms import indented

__all__ = ["Project", "runnable_project"]


class Project(NamedTuple):
    """The files of a project, the modules that are started one after the other, and the lines that these print."""

    files: Dict[str, str]
    starts: List[str]
    lines: List[str]


class Folders(NamedTuple):
    """Where files are.

    Attributes:
      library: the folder of all files that are not started.
      programs: the folder of those that are.
      marked: whether each folder has an ``__init__.py``.
      above: the files that are started.  make this folder importable; "" for none.
      is_module: whether programs are started by ``python -m``.
      exports: whether the ``__init__.py`` of the library imports the definitions of its files.
    """

    library: str
    programs: str = ""
    marked: bool = True
    above: str = ""
    is_module: bool = False
    exports: bool = False


FOLDERS: Dict[str, Folders] = {
    "beside": Folders("", marked=False),
    "package": Folders("data"),
    "inner package": Folders("lib/data"),
    "reexporting package": Folders("data", exports=True),
    "namespace": Folders("data", marked=False),
    "whole package": Folders("numbers_lib", "numbers_lib", is_module=True),
    "packages": Folders("core/data", "core/tasks", is_module=True),
    "below": Folders("data", "scripts", above=".."),
    "siblings": Folders("", "scripts", marked=False, above=".."),
    "library of scripts": Folders("lib", "scripts", marked=False, above="../lib"),
}  # fmt: skip

_FILES = ["input_data", "cifar10_input", "reading", "dataset", "preprocessing", "ops", "util", "utils", "helper"]


class Import(NamedTuple):
    """An import: its line, and how its names are written."""

    line: str
    names: Dict[str, str]


def _plainly(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    return Import(f"from {full} import {', '.join(names)}", {})


def _renamed(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    listed = ", ".join(f"{one} as {one}_" for one in names)
    return Import(f"from {full} import {listed}", {one: f"{one}_" for one in names})


def _star(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    return Import(f"from {full} import *", {})


def _module(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    if parent.startswith("."):
        return _of_parent(full, parent, leaf, names)
    return Import(f"import {full}", {one: f"{full}.{one}" for one in names})


def _of_parent(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    line = f"from {parent} import {leaf}" if parent else f"import {leaf}"
    return Import(line, {one: f"{leaf}.{one}" for one in names})


def _short(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    line = f"from {parent} import {leaf} as lib_{leaf}" if parent else f"import {leaf} as lib_{leaf}"
    return Import(line, {one: f"lib_{leaf}.{one}" for one in names})


def _assigned(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    line, found = _of_parent(full, parent, leaf, names)
    return Import("\n".join([line, *(f"{one} = {found[one]}" for one in names)]), {})


def _tried(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    listed = ", ".join(names)
    return Import(f"try:\n    from {full} import {listed}\nexcept ImportError:\n    from {leaf} import {listed}", {})


def _looked_up(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    line, _ = _short(full, parent, leaf, names)
    return Import(line, {one: f"getattr(lib_{leaf}, '{one}')" for one in names})


def _at_run_time(full: str, parent: str, leaf: str, names: Sequence[str]) -> Import:
    if parent.startswith("."):
        return _short(full, parent, leaf, names)
    line = f"import importlib\n\nlib_{leaf} = importlib.import_module('{full}')"
    return Import(line, {one: f"lib_{leaf}.{one}" for one in names})


IMPORTS: List[Callable[[str, str, str, Sequence[str]], Import]] = [
    _plainly, _plainly, _plainly, _renamed, _star, _module, _of_parent, _of_parent, _short, _short, _assigned, _tried,
    _looked_up, _at_run_time,
]  # fmt: skip


def runnable_project(seed: int) -> Project:
    chance = random.Random(f"project {seed}")
    folders = FOLDERS[chance.choice(sorted(FOLDERS))]
    parts, programs = drawn(chance, chance.choice([1, 1, 2]))
    parts = [one for one in parts if one != "import functools"]
    mains = [f"{one.inputs}\n{one.session}" for one in programs]
    if chance.random() < 0.3:  # each session in a function, to which the batch is passed
        parts += [f"def run_{place}({one.names}):\n{indented(one.session)}" for place, one in enumerate(programs)]
        mains = [f"{one.inputs}\nrun_{place}({one.names})" for place, one in enumerate(programs)]
    if chance.random() < 0.3:
        parts, mains = _with_flags(parts), [re.sub(r"\bFILES\b", "FLAGS.files.split(',')", one) for one in mains]
    late = [1] if chance.random() < 0.15 else []  # imported inside of functions
    library = _cut(chance, parts, late)
    leaves = chance.sample(_FILES, len(library))
    owners = {name: leaf for leaf, own in zip(leaves, library) for part in own for name in _defined(part)}
    files: Dict[str, str] = {}
    for place, (leaf, own) in enumerate(zip(leaves, library)):
        text = "\n\n\n".join(own)
        files[_path(folders.library, leaf)] = _with_imports(
            chance, text, folders, folders.library, owners, set(leaves[place:])
        )
    for leaf, main in zip(["train", "eval"], mains):
        text = as_main(chance, main)
        files[_path(folders.programs, leaf)] = _with_imports(chance, text, folders, folders.programs, owners, set())
    if folders.marked:
        for folder in {one for path in files for one in _folders_of(path)}:
            files[f"{folder}/__init__.py"] = ""
    if folders.exports:
        lines = (_exported(chance, leaf, owners) for leaf in leaves)
        files[f"{folders.library}/__init__.py"] = "\n".join(lines) + "\n"
    starts = [_path(folders.programs, leaf) for leaf in ["train", "eval"][: len(mains)]]
    if folders.is_module:
        starts = [one[: -len(".py")].replace("/", ".") for one in starts]
    return Project(files, starts, [line for one in programs for line in one.lines])


def _with_flags(parts: List[str]) -> List[str]:
    flags = "tf.app.flags.DEFINE_string('files', 'a.txt,b.txt,c.txt', 'Files.')\nFLAGS = tf.app.flags.FLAGS\n"
    return [
        flags + parts[0].replace("FILES = ['a.txt', 'b.txt', 'c.txt']\n", ""),
        *(re.sub(r"\bFILES\b", "FLAGS.files.split(',')", one) for one in parts[1:]),
    ]


def _cut(chance: random.Random, parts: List[str], late: Sequence[int]) -> List[List[str]]:
    """*parts* by file, in their order; those that are *late* are in the last one."""
    early = [one for place, one in enumerate(parts) if place not in late]
    borders = sorted(chance.sample(range(1, len(early)), min(chance.randint(0, 3), len(early) - 1)))
    found = [early[begin:end] for begin, end in zip([0, *borders], [*borders, len(early)])]
    return [*found[:-1], [*found[-1], *(parts[place] for place in late)]]


def _defined(part: str) -> Set[str]:
    found: Set[str] = set()
    for node in ast.parse(part).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(one.id for one in node.targets if isinstance(one, ast.Name))
    return found


def _with_imports(
    chance: random.Random, text: str, folders: Folders, folder: str, owners: Dict[str, str], late: Set[str]
) -> str:
    """*text* of a file in *folder* with imports of what it uses; of files that are *late*, inside of its functions."""
    used: Dict[str, List[str]] = {}
    own = _defined(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id in owners and node.id not in own:
            names = used.setdefault(owners[node.id], [])
            names += [node.id] if node.id not in names else []
    lines, inner, spelled = ["import tensorflow as tf"], [], {}
    if "functools." in text:
        lines.insert(0, "import functools\n")
    if folders.above and folder == folders.programs:
        above = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), '{folders.above}')"
        lines = ["import os\nimport sys\n", *lines, f"\nsys.path.insert(0, {above})"]
    for leaf, names in used.items():
        full, parent = _module_name(chance, folders, folder, leaf)
        if leaf in late:
            inner.append(_plainly(full, parent, leaf, names).line)
            continue
        style = chance.choice(IMPORTS)
        if folders.exports and folder != folders.library and chance.random() < 0.7:
            full, parent, leaf = folders.library, "", folders.library
        line, found = style(full, parent, leaf, names)
        lines.append(line)
        spelled.update(found)
    text = _spelled(text, spelled)
    for line in inner:
        text = re.sub(r"^(def \w+\(.*\):\n)", rf"\1    {line}\n", text, flags=re.MULTILINE)
    return "\n".join(lines) + f"\n\n\n{text}\n"


def _module_name(chance: random.Random, folders: Folders, folder: str, leaf: str) -> Tuple[str, str]:
    """The full name of the file *leaf* of the library for a file in *folder*, and that of its package."""
    parts = folders.library.split("/") if folders.library else []
    if folder == folders.library and folders.marked and parts and chance.random() < 0.5:
        return f".{leaf}", "."
    if folders.is_module and folder != folders.library and chance.random() < 0.5 and len(parts) > 1:
        return f"..{parts[-1]}.{leaf}", f"..{parts[-1]}"
    if folders.above not in ("", ".."):
        parts = []
    return ".".join([*parts, leaf]), ".".join(parts)


def _exported(chance: random.Random, leaf: str, owners: Dict[str, str]) -> str:
    names = sorted(name for name, owner in owners.items() if owner == leaf)
    return chance.choice([f"from .{leaf} import *", f"from .{leaf} import {', '.join(names)}"])


def _spelled(text: str, names: Dict[str, str]) -> str:
    """*text* with other spellings of some names."""
    lines = text.split("\n")
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id in names]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line, end = lines[node.lineno - 1], node.col_offset + len(node.id)
        lines[node.lineno - 1] = line[: node.col_offset] + names[node.id] + line[end:]
    return "\n".join(lines)


def _path(folder: str, leaf: str) -> str:
    return f"{folder}/{leaf}.py" if folder else f"{leaf}.py"


def _folders_of(path: str) -> List[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: place + 1]) for place in range(len(parts))]
