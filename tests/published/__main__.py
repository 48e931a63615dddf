"""``python -m tests.published``: packages of TensorFlow 1 run unchanged, each as ``queuecompat run --tree`` runs it.

Needs a network for pip, the extras keras2 and slim, and what the packages import: ``tox -e published`` has all of that.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.published.packages import PACKAGES, Package

PROGRAMS = pathlib.Path(__file__).parent / "programs"
ROOT = pathlib.Path(__file__).parents[2]
# Descriptors of protocol buffers that were generated for older versions are read in Python alone.
ENVIRONMENT = {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python", "TF_CPP_MIN_LOG_LEVEL": "3"}
DEADLINE_SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.published", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES], help="these alone")
    chosen = parser.parse_args().packages or list(PACKAGES)
    failed = [name for name in chosen if not _holds(name, PACKAGES[name])]
    print("failed: " + ", ".join(failed) if failed else f"{len(chosen)} packages run")
    return 1 if failed else 0


def _holds(name: str, package: Package) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        into = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
        subprocess.run([*into, package.requirement], check=True)
        ends = [_ran(what, folder, package) for what in _runs(package)]
    kinds = [kind for _, _, kinds in ends for kind in kinds]
    tests = sum(int(count) for _, text, _ in ends for count in re.findall(r"^Ran (\d+) tests?", text, re.MULTILINE))
    problems = [text for code, text, _ in ends if code]
    print(
        f"{name}: {tests} tests; {kinds.count('compiled')} pipelines compiled, {kinds.count('native')} native",
        flush=True,
    )
    for text in problems:
        print(text[-3000:], flush=True)
    return not problems


def _runs(package: Package) -> Iterator[list[str]]:
    for module in package.tests:
        yield ["-m", module]
    if package.program:
        yield [str(PROGRAMS / f"{package.program}.py")]


def _ran(what: list[str], folder: str, package: Package) -> tuple[int, str, list[str]]:
    """The exit code, the output, and "compiled" or "native" for each pipeline."""
    report = pathlib.Path(folder, "report.json")
    report.unlink(missing_ok=True)
    trees = [word for one in package.folders for word in ("--tree", os.path.join(folder, one))]
    command = [sys.executable, "-m", "queuecompat", "run", "--report", str(report), *trees, *what]
    paths = os.pathsep.join([folder, str(ROOT)])
    ended = subprocess.run(
        command,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": paths},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    listed = json.loads(report.read_text())["pipelines"] if report.exists() else []
    return ended.returncode, ended.stdout + ended.stderr, [_kind(one) for one in listed]


def _kind(pipeline: dict[str, object]) -> str:
    return "compiled" if pipeline.get("compiled") else "native"


if __name__ == "__main__":
    sys.exit(main())
