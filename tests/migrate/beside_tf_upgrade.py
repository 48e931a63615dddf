"""The catalogue beside ``tf_upgrade_v2``: what its programs do on this TensorFlow after that tool, and after ours.

``python -m tests.migrate.beside_tf_upgrade`` prints the table of ``migration_guide/steps/what_migrate_does.md``; it
takes a quarter of an hour. ``tf_upgrade_v2`` comes with TensorFlow. Programs that ``migrate`` leaves unchanged run
under ``queuecompat run``, as its summary says; all others run by themselves.
"""

from __future__ import annotations

import collections
import pathlib
import re
import sys
import tempfile
from typing import Any, Iterable, List, Mapping, Sequence, Set, Tuple

import queuecompat
from queuecompat.migrate.check.checking import check
from queuecompat.migrate.rewrite.migrating import migrate
from tests.forking import Ran, Server
from tests.migrate.catalogue_entries import ENTRIES, delivered, recorded_batches
from tests.migrate.program_entries import MAINS, TF1, copied, recorded

__all__ = ["OUTCOMES", "TARGETS", "Calls", "functions", "input_calls", "programs", "upgraded"]

TARGETS = ("v1", "as-dataset", "tf-data")
OUTCOMES = ("same", "other", "raises", "hangs")
Calls = Tuple[int, int]

_DEADLINE_SECONDS = 20
_INPUT_CODES = {f"QC70{number}" for number in range(1, 7)}
_ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])
_ISSUE = re.compile(r"^(.*\.py):(\d+):\d+: (?:ERROR|WARNING): ", re.MULTILINE)


def upgraded(server: Server, folder: pathlib.Path) -> Set[Tuple[str, int]]:
    """Rewrites the files of *folder* by ``tf_upgrade_v2``.

    Returns:
      The places, file and line, of which it says that they need attention.
    """
    report = folder / "upgrade_report.txt"
    command = ["-m", "tensorflow.tools.compatibility.tf_upgrade_v2_main", "--inplace", "--intree", str(folder)]
    ran = server.run([*command, "--reportfile", str(report)], str(folder))
    assert ran.exit_code == 0, ran.err[-2000:]
    return {(pathlib.Path(file).name, int(line)) for file, line in _ISSUE.findall(report.read_text())}


def input_calls(server: Server, folder: pathlib.Path) -> Calls:
    """How many lines of pipelines ``check`` finds in *folder*, and how many of them ``tf_upgrade_v2`` warns of."""
    places = {
        (pathlib.Path(one.file).name, one.line) for one in check([str(folder)]).findings if one.code in _INPUT_CODES
    }
    return len(places), len(places & upgraded(server, folder))


def programs(server: Server, mains: Iterable[Tuple[str, str]], tool: str, scratch: pathlib.Path) -> collections.Counter:
    """How many of *mains* end in which of ``OUTCOMES`` after *tool*, a target of ``migrate`` or "tf_upgrade_v2"."""
    found: collections.Counter = collections.Counter()
    for name, main in mains:
        folder = copied(name, scratch / tool / name / main)
        launcher: Tuple[str, ...] = ()
        if tool == "tf_upgrade_v2":
            upgraded(server, folder)
        elif not _migrated(folder, tool):
            launcher = ("run",)
        ran = server.run([str(folder / main)], str(folder), launcher=launcher, deadline=_DEADLINE_SECONDS)
        found[_outcome(ran, recorded(name, main))] += 1
    return found


def _migrated(folder: pathlib.Path, to: str) -> bool:
    """Writes what ``migrate`` makes of *folder*; whether that is more than comments."""
    done = list(migrate([str(folder)], to))
    for one in done:
        one.path.write_bytes(one.new)
    return any(one.old != one.new and not one.is_comment for one in done)


def _outcome(ran: Ran, expected: str) -> str:
    if ran.exit_code == 0:
        return "same" if ran.out == expected else "other"
    return "hangs" if "Timeout (" in ran.err else "raises"


def functions(server: Server, names: Sequence[str], tool: str, scratch: pathlib.Path) -> collections.Counter:
    """The same of input functions of the catalogue, each called in an eager program.

    One that ``migrate`` leaves unchanged counts as "left".
    """
    folder = scratch / tool / "functions"
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.py").write_text(ENTRIES[name].text)
    left: Set[str] = set()
    if tool == "tf_upgrade_v2":
        upgraded(server, folder)
    else:
        for name in names:
            done = list(migrate([str(folder / f"{name}.py")], tool))
            left |= {name for one in done if one.old == one.new or one.is_comment}
            for one in done:
                one.path.write_bytes(one.new)
    texts = {name: (folder / f"{name}.py").read_text() for name in names if name not in left}
    return collections.Counter({"left": len(left)}) + _outcomes(texts)


def _outcomes(texts: Mapping[str, str]) -> collections.Counter:
    expected = recorded_batches()
    found: collections.Counter = collections.Counter()
    for name, batches in delivered(sys.executable, texts, {"PYTHONPATH": _ROOT}).items():
        entry = ENTRIES[name]
        is_same = entry.comparable(batches) == entry.comparable(expected[name])
        found["raises" if isinstance(batches, str) else "same" if is_same else "other"] += 1
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name, Server(_ROOT) as server:
        scratch = pathlib.Path(name)
        counts = [input_calls(server, copied(one, scratch / "calls" / one)) for one in MAINS]
        calls, mentioned = (sum(numbers) for numbers in zip(*counts))
        tools = ("tf_upgrade_v2", *TARGETS)
        ran = {tool: programs(server, TF1, tool, scratch) for tool in tools}
        called = {tool: functions(server, sorted(ENTRIES), tool, scratch) for tool in tools if tool != "v1"}
    print("\n".join(_table(calls, mentioned, ran, called)))


def _table(calls: int, mentioned: int, ran: Mapping[str, Any], called: Mapping[str, Any]) -> List[str]:
    rows: List[Tuple[str, ...]] = [
        ("", "`tf_upgrade_v2`", *(f"`migrate --to {to}`" for to in TARGETS)),
        ("---",) * 5,
        (
            f"lines with a part of a queue pipeline, of {calls}: warned of",
            f"{mentioned}",
            *(f"{calls}, by `check`",) * 3,
        ),
    ]
    words = {
        "same": "print what TensorFlow 1.15.5 printed",
        "other": "print something else",
        "raises": "raise",
        "hangs": "hang",
    }
    tools = ("tf_upgrade_v2", *TARGETS)
    for outcome in OUTCOMES:
        rows.append((f"programs, of {len(TF1)}, that {words[outcome]}", *(str(ran[tool][outcome]) for tool in tools)))
    words = {
        "same": "deliver TensorFlow 1.15.5's batches in an eager program",
        "other": "deliver other batches",
        "raises": "raise",
        "left": "stay as they are",
    }
    for outcome, word in words.items():
        numbers = (str(called[tool][outcome]) if tool in called else "" for tool in tools)
        rows.append((f"input functions, of {len(ENTRIES)}, that {word}", *numbers))
    return ["| " + " | ".join(row) + " |" for row in rows]


if __name__ == "__main__":
    main()
