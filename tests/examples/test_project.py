"""The project of several files, through all steps by the commands of the guide's page: they print what it shows."""

from __future__ import annotations

import pathlib
import re
import shlex
import shutil
from typing import List, Tuple

from tests.forking import Server
from tests.guide.test_blocks import matches

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "migration_guide" / "steps" / "project.md").read_text(encoding="utf-8")


def commands(page: str) -> List[Tuple[str, str]]:
    """The commands of its blocks, each with what the page says that it prints."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [(command, shown) for part in parts for command, _, shown in [part.partition("\n")]]


def test_each_step_prints_what_the_guide_shows(server: Server, tmp_path: pathlib.Path) -> None:
    copy, enter, *steps = commands(PAGE)
    assert (copy, enter) == (("cp -r examples/project project", ""), ("cd project", ""))
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "project", project)
    trained = []
    for command, shown in steps:
        words = shlex.split(command)
        assert words.pop(0) == "python"
        launcher, words = (words[2:3], words[3:]) if words[0] == "-m" else ([], words)
        ran = server.run(words, str(project), launcher=launcher)
        # check finds something before, and nothing after.
        assert ran.exit_code == int("findings in" in shown), (command, ran.err)
        said = ran.out + (ran.err if launcher == ["migrate"] else "")
        assert matches(shown, said), (command, said)
        trained += [said] if words == ["train.py"] else []
    assert len(trained) == 5 and len(set(trained)) == 1
    assert not any("queuecompat" in file.read_text() for file in project.glob("*.py"))
