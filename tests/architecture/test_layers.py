"""Layers: a module imports only from its own or lower ones; no cycles; importing the package loads no TensorFlow."""

from __future__ import annotations

import ast
import pathlib
import re
import subprocess
import sys
from typing import Dict, Iterator, List, Set

import pytest

import queuecompat

PACKAGE = pathlib.Path(queuecompat.__file__).parent
MODULES = {
    ".".join(("queuecompat", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in PACKAGE.rglob("*.py")
}

# From the top to the bottom. A layer may use the layers below it, and itself.
LAYERS: List[Set[str]] = [
    {"queuecompat.notebook"},
    {"queuecompat.__main__", "queuecompat.cli"},
    {"queuecompat.migrate.commands"},
    {"queuecompat.migrate.check", "queuecompat.migrate.rewrite"},
    {"queuecompat.migrate.analysis"},
    {"queuecompat.migrate.source"},
    {"queuecompat.migrate"},
    {"queuecompat.running", "queuecompat.serving"},
    {"queuecompat.reporting"},
    {"queuecompat.dataset", "queuecompat.meta_graph"},
    {"queuecompat.importing"},
    {"queuecompat._importing"},
    {"queuecompat.installing", "queuecompat.v1"},
    {"queuecompat._namespace"},
    {"queuecompat.contrib", "queuecompat.estimator"},
    {
        "queuecompat.train",
        "queuecompat.readers",
        "queuecompat.queues",
        "queuecompat.image",
        "queuecompat.explanation",
    },
    {"queuecompat._raising"},
    {"queuecompat._capture"},
    {"queuecompat._eager"},
    {"queuecompat._session"},
    {"queuecompat._session.errors"},
    {"queuecompat._session.streams"},
    {"queuecompat._session.starting"},
    {"queuecompat._session.graph_ops", "queuecompat._session.steps"},
    {"queuecompat._backends"},
    {"queuecompat._passes"},
    {"queuecompat._analysis"},
    {"queuecompat._plan"},
    {"queuecompat._native"},
    {"queuecompat.loader.images"},
    {"queuecompat.loader"},
    {"queuecompat.loader.workers"},
    {"queuecompat.loader.run"},
    {"queuecompat.loader.stream"},
    {"queuecompat.loader.calls"},
    {"queuecompat.loader.memory"},
    {"queuecompat.loader.failures", "queuecompat.loader.settings"},
    {"queuecompat.loader.order", "queuecompat.loader.metrics", "queuecompat.loader.mapped"},
    {"queuecompat.records"},
    {"queuecompat._analysis.op_facts"},
    {"queuecompat.reference"},
    {
        "queuecompat.api",
        "queuecompat.codes",
        "queuecompat.errors",
        "queuecompat.installed_files",
        "queuecompat._lazy",
        "queuecompat.plurals",
        "queuecompat.printing",
        "queuecompat.processors",
        "queuecompat.replacing",
    },
]


def layer(module: str) -> int:
    """The number of the layer; of two that match, the innermost."""
    matches = [(len(name), number) for number, names in enumerate(LAYERS) for name in names if within(module, name)]
    return max(matches)[1]


def within(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def imports(path: pathlib.Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES or f"{full}.__init__" in MODULES else node.module


def ours(path: pathlib.Path) -> Set[str]:
    return {name for name in imports(path) if within(name, "queuecompat") and name != "queuecompat"}


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"queuecompat.__init__"}))
def test_a_module_imports_only_from_its_layer_or_below(module: str) -> None:
    here = layer(module.replace(".__init__", ""))
    above = {name for name in ours(MODULES[module]) if layer(name) < here}
    assert not above


def test_there_are_no_circular_imports() -> None:
    graph: Dict[str, Set[str]] = {m.replace(".__init__", ""): ours(path) for m, path in MODULES.items()}
    done: Set[str] = set()

    def visit(module: str, path: List[str]) -> None:
        assert module not in path, " -> ".join([*path, module])
        if module not in done:
            for name in graph.get(module, set()):
                visit(name, [*path, module])
            done.add(module)

    for module in graph:
        visit(module, [])


# Their modules are named as TensorFlow's.
PUBLIC = ("api", "contrib", "estimator", "image", "train")


def _folders() -> Iterator[pathlib.Path]:
    for init in PACKAGE.glob("*/**/__init__.py"):
        folder = init.parent.relative_to(PACKAGE)
        if folder.parts[0] not in PUBLIC and "examples" not in folder.parts:
            yield folder


@pytest.mark.parametrize("folder", sorted(_folders()), ids=str)
def test_a_folder_says_what_each_of_its_modules_is_for(folder: pathlib.Path) -> None:
    """In the text of its ``__init__.py``: a map in the docstring, or a table that imports them."""
    text = (PACKAGE / folder / "__init__.py").read_text(encoding="utf-8")
    names = {path.stem for path in (PACKAGE / folder).glob("*.py")} - {"__init__"}
    names |= {path.parent.name for path in (PACKAGE / folder).glob("*/__init__.py")}
    assert {name for name in names if not re.search(rf"(?<!\w){name}(?!\w)", text)} == set()


def test_importing_the_package_loads_no_tensorflow() -> None:
    code = "import sys, queuecompat, queuecompat.errors; dir(queuecompat); sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_folder_is_packaged() -> None:
    """``setup.py`` finds a folder by its ``__init__.py``; one without it works here and nowhere else."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert all((folder / "__init__.py").exists() for folder in folders)


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        queuecompat.absent  # noqa: B018


@pytest.mark.parametrize("path", sorted((PACKAGE / "_capture").glob("*.py")), ids=lambda path: path.stem)
def test_capture_knows_no_back_end(path: pathlib.Path) -> None:
    """It asks for what it needs by the protocols of ``backend.py``, and does not know which back end answers."""
    assert not [
        name for name in ours(path) if within(name, "queuecompat._session") or within(name, "queuecompat._eager")
    ]


def test_the_plan_and_the_passes_know_no_session() -> None:
    paths = [*(PACKAGE / "_plan" / "ir").glob("*.py"), *(PACKAGE / "_passes").glob("*.py")]
    for path in paths:
        assert "Session" not in path.read_text(encoding="utf-8"), path


def test_a_pass_its_file_and_its_test_have_one_name() -> None:
    from queuecompat import _passes as passes

    tests = pathlib.Path(__file__).parents[1] / "passes"
    for one in passes.ORDER:
        assert one.__module__.rpartition(".")[2] == one.__name__
        assert (tests / f"test_{one.__name__}.py").exists()
    files = {path.stem for path in (PACKAGE / "_passes").glob("[!_]*.py")}
    assert files == {one.__name__ for one in passes.ORDER}
