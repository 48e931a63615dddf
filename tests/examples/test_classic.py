"""The two classic programs as they were, one in several files, under ``run``; and the reports that the guide quotes."""

from __future__ import annotations

import pathlib
import re
import shutil
from typing import List

import pytest

from tests.forking import Ran, Server

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "migration_guide" / "classic_programs.md").read_text(encoding="utf-8")


@pytest.fixture
def run(server: Server, tmp_path: pathlib.Path):
    """Runs an example in a folder that has ``examples``; returns how it ended."""
    # Copied: a script's folder is where links lead, and would not be below the current one.
    for name in ("cifar10_tutorial", "slices_of_a_list.py"):
        source, there = ROOT / "examples" / name, tmp_path / "examples" / name
        there.parent.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, there)

    def run_it(*command: str, launcher: List[str]) -> Ran:
        ran = server.run(list(command), str(tmp_path), launcher=launcher)
        assert ran.exit_code == 0, ran.out[-2000:] + ran.err[-3000:]
        return ran

    return run_it


def quoted(name: str) -> str:
    """The report on the guide's page in which the file *name* is."""
    return next(text for text in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) if name in text)


def kinds(report: str) -> List[str]:
    """What a report says of each pipeline, without its figures: each line up to its first number; no stages."""
    lines = report[report.index("queuecompat: report") :].splitlines()
    lines = [line for line in lines if not line.startswith("      ") and "its work, on" not in line]
    return [re.split(r"\d", line)[0] if line.startswith("    ") else line for line in lines if line]


def stages(report: str) -> List[str]:
    """The stages in it, with their ops and lines, without their shares and times, sorted."""
    return sorted(
        re.sub(r" +\d+%( +[\d.]+ [mu]?s)? *", " ", line)
        for line in report.splitlines()
        if re.match(r"      \w.* \d+%", line)
    )


def expensive(report: str) -> List[str]:
    return [line for line in stages(report) if "Jpeg" in line or "ReadFile" in line]


def test_the_cifar_tutorial_trains_and_is_evaluated_unchanged_and_its_report_is_the_guides(run) -> None:
    run("examples/cifar10_tutorial/make_data.py", "data", launcher=[])
    # Nothing is seeded: after 60 steps one run in many was right for 0.8 of the images only.
    options = ["--data_dir=data", "--train_dir=train", "--max_steps=120"]
    train = run("examples/cifar10_tutorial/cifar10_train.py", *options, launcher=["run", "--strict", "--report"])
    assert re.search(r": step 50, loss = ", train.out)
    shown = quoted("cifar10_input.py")
    # On a fast machine it is over before it can be told whether the model waits.
    assert kinds(train.err)[:3] == kinds(shown)[:3]
    evaluated = run(
        "examples/cifar10_tutorial/cifar10_eval.py", "--data_dir=data", "--checkpoint_dir=train", launcher=["run"]
    )
    right = re.search(r"precision @ 1 = ([\d.]+)", evaluated.out)
    assert right is not None and float(right[1]) > 0.9


def test_keras_trains_on_the_unchanged_input_file(run) -> None:
    run("examples/cifar10_tutorial/make_data.py", "data", launcher=[])
    right = re.search(r"accuracy ([\d.]+)", run("examples/cifar10_tutorial/train_keras.py", "data", launcher=[]).out)
    assert right is not None and float(right[1]) > 0.9


def test_a_list_of_images_is_learned_unchanged_and_its_report_is_the_guides(run) -> None:
    ran = run("examples/slices_of_a_list.py", launcher=["run", "--strict", "--report"])
    assert "right: 40 of 40" in ran.out
    shown = quoted("slices_of_a_list.py")
    assert kinds(ran.err)[:2] == kinds(shown)[:2]
    # What takes most of the time; which of it is seen, and the small ones, depend on the moments that are recorded.
    assert len(expensive(shown)) == 2 and set(expensive(ran.err)) <= set(expensive(shown))


def test_nothing_in_the_programs_knows_of_queuecompat() -> None:
    files = [*(ROOT / "examples" / "cifar10_tutorial").glob("cifar10*.py"), ROOT / "examples" / "slices_of_a_list.py"]
    assert len(files) == 5
    assert not [file.name for file in files if "queuecompat" in file.read_text(encoding="utf-8")]
