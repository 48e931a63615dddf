"""``--to tf-data`` gives what the queues gave, and what the program gives that ``explain(code=True)`` writes."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, List, Tuple

import pytest

import queuecompat
from tests.migrate.pipelines import LOOP, PIPELINES, function, write_files
from tests.migrate.sources import migrated

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])
# TensorFlow's own queues, with their own threads.
NATIVE = ("import tensorflow as tf", "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()")
ENVIRONMENT = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where the pipelines find their files."""
    folder = tmp_path_factory.mktemp("pipelines")
    write_files(folder)
    return folder


def output(command: List[str], folder: pathlib.Path, given: str = "") -> List[str]:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        cwd=folder, env=ENVIRONMENT, input=given, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-300:] + ran.stderr[-3000:]
    return ran.stdout.splitlines()


@pytest.fixture(scope="module")
def printed(folder: pathlib.Path) -> Dict[str, Dict[str, List[str]]]:
    """What each pipeline gives, by way and name: all in one program each way, for TensorFlow takes long to load."""
    texts = {name: function(one.body + "\n") + LOOP for name, one in PIPELINES.items()}
    new = {name: migrated(text, "tf-data") for name, text in texts.items()}
    assert not any("Session" in text for text in new.values())
    found: Dict[str, Dict[str, List[str]]] = {}
    for way, parts in (("queues", {name: text.replace(*NATIVE) for name, text in texts.items()}), ("tf-data", new)):
        (folder / "program.py").write_text("\n".join(f"print({name!r})\n{part}" for name, part in parts.items()))
        found[way] = {}
        for line in output(["program.py"], folder):
            if line in PIPELINES:
                lines = found[way][line] = []
            else:
                lines.append(line)
    return found


@pytest.mark.parametrize("name", list(PIPELINES))
def test_the_datasets_have_the_elements_of_the_queues(name: str, printed: Dict[str, Dict[str, List[str]]]) -> None:
    old, new = (printed[way][name] for way in ("queues", "tf-data"))
    assert len(old) == len(new) >= 15
    order = PIPELINES[name].order
    assert in_order(order, old) == in_order(order, new)


def in_order(order: str, lines: List[str]) -> Any:
    """What of *lines* has to be the same."""
    if order == "random":
        return set(re.findall(r"[\w.]+", str(lines)))
    return lines if order == "fixed" else sorted(lines)


@pytest.fixture(scope="module")
def compared(folder: pathlib.Path) -> Dict[str, Dict[str, Any]]:
    """Each pipeline compiled, as the program that ``explain`` writes, and rewritten."""
    texts = {name: function(one.body + "\n") for name, one in PIPELINES.items()}
    both = {
        name: (text.replace("import tensorflow as", "import tensorflow.compat.v1 as"), migrated(text, "tf-data"))
        for name, text in texts.items()
    }
    runner = str(pathlib.Path(__file__).with_name("comparing.py"))
    lines = output([runner], folder, json.dumps(both))
    return {one["name"]: {**one, "text": both[one["name"]][1]} for one in map(json.loads, lines)}


@pytest.mark.parametrize("name", list(PIPELINES))
def test_the_datasets_have_the_elements_of_the_program_of_explain(
    name: str, compared: Dict[str, Dict[str, Any]]
) -> None:
    one, order = compared[name], PIPELINES[name].order.replace("seeded", "fixed")
    ours, theirs = one["rewritten"], one["program"]
    assert ours["spec"] == theirs["spec"] == one["compiled"]["spec"]
    assert in_order(order, ours["elements"]) == in_order(order, theirs["elements"])


# Steps of a plan, and what they are in a program; what makes the elements to begin with is left out.
KINDS = {
    "Batch": "batch", "Filter": "filter", "Merge": "read", "Read": "read", "Run": "map", "Shuffle": "shuffle",
    "Unbatch": "unbatch",
}  # fmt: skip
# And the lines of a rewritten function, the first that fits.
LINES = {
    r"lambda \*rows": "unbatch",
    r"cardinality|random\.shuffle|from_tensor|repeat|lambda example, keep: example": "",
    r"(Record|TextLine)Dataset": "read",
    r"\.(padded_)?batch\(": "batch",
    r"\.filter\(": "filter",
    r"\.map\(": "map",
    r"\.shuffle\(": "shuffle",
    r"\.unbatch\(": "unbatch",
}
# Where a rewritten function does its work in another order, and why.
OTHER_STEPS = {
    "a choice between returns": "the same as a choice, in order",
    "a choice, in order": "it may be shuffled in another run",
    "arrays": "rows of arrays need not be put together and cut again",
    "blocks of lines": "records are decoded in batches, and not in the blocks that the reader gave",
    "several examples of some lines": "the source does not say whether keep_input is one for all rows or one for each",
    "shuffled arrays": "the same as arrays",
    "some lines": "the compiled pipeline looks at keep_input on whole batches",
    "some of several examples of a join": "the compiled pipeline merges lists that are cut already",
    "some of a block, all of them": "the same as blocks of lines",
    "shuffled blocks of lines": "the same as blocks of lines; and the pool holds records",
}


def kinds_of(text: str) -> List[str]:
    """The kinds of the steps of a rewritten function, in their order."""
    lines = re.findall(r"dataset = (.*(?:\n        .*)?)", text)
    found = [next(kind for fits, kind in LINES.items() if re.search(fits, line)) for line in lines]
    return [kind for kind in found if kind]


@pytest.mark.parametrize("name", list(PIPELINES))
def test_its_steps_are_those_of_the_compiled_pipeline(name: str, compared: Dict[str, Dict[str, Any]]) -> None:
    ours = kinds_of(compared[name]["text"])
    theirs = [KINDS[step] for step in compared[name]["steps"] if step in KINDS]
    assert (_without_maps(ours) != _without_maps(theirs)) == (name in OTHER_STEPS)


def _without_maps(kinds: List[str]) -> Tuple[List[str], bool]:
    """The steps, and whether something is mapped before the shuffle buffer.

    What is done to each row may be done to whole batches: the compiler knows when, the rewrite does not.
    """
    shuffle = kinds.index("shuffle") if "shuffle" in kinds else 0
    return [kind for kind in kinds if kind != "map"], "map" in kinds[:shuffle]
