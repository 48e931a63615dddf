"""``run --compare``: runs a program on compiled pipelines and on TensorFlow's own queues, and compares the speed.

Two child processes run one after the other, with the same arguments in the same folder, for the same number of steps
(``step_log`` says what a step is). The compiled one runs first, so if files have to be read from disk, that counts
against it.

Rule 1: Nothing can hang. A run that ends no step in ``PATIENCE`` seconds is killed, with all processes that it started;
        processes that outlive it are killed, too.
Rule 2: Rates refer to the time from the end of the first step to the end of the last step that both runs completed. The
        time before is reported separately. If that time is short, no ratio is shown.
Rule 3: Nothing is copied and nothing is cleaned up. A program that writes files writes them twice.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
from typing import Iterator, List, Optional, Sequence, Tuple

from queuecompat.plurals import counted
from queuecompat.running.step_log import Log, Step

__all__ = ["LEAST", "PATIENCE", "Side", "compare", "compared", "run"]

PATIENCE = 300.0  # seconds without the end of a step after which a run is killed
LEAST = 0.5  # seconds between the first and the last step; shorter runs only show the start
_SHOWN_LINES = 20  # of the output of a run that failed
# The folder that this package is imported from, which may not be in the path of a new process.
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CODE = f"import sys; sys.path.append({_ROOT!r}); from queuecompat.cli import main; main()"


@dataclasses.dataclass(frozen=True)
class Side:
    """One of the two runs.

    Attributes:
      log: its steps.
      exit_code: of the process; the negative number of a signal that ended it; None: it was killed because no step
        ended in time.
      printed: the last lines of its output, standard error included.
    """

    log: Log
    exit_code: Optional[int]
    printed: str = ""


def compare(arguments: Sequence[str], steps: int) -> int:
    """Runs both and prints the comparison.

    Args:
      arguments: of the command ``run``, without ``--compare``.
      steps: the number of steps after which a run ends.
    Returns:
      The exit code: 0 if the two were compared, 1 if one of them failed or ran no step.
    """
    sides = []
    for words, options in (("compiled pipelines", []), ("TensorFlow's own queues", ["--own-queues"])):
        print(f"queuecompat: {steps:,} steps on {words} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps")
            command = [sys.executable, *_interpreter_flags(), "-c", _CODE, "run"]
            sides.append(run([*command, *options, f"--record-steps={steps}:{path}", *arguments], path))
    text, is_complete = compared(sides[0], sides[1], steps)
    print(text, file=sys.stderr, flush=True)
    return 0 if is_complete else 1


def _interpreter_flags() -> List[str]:
    """Returns the options that this Python was started with (``-O``, ``-W`` and the like)."""
    return list(subprocess._args_from_interpreter_flags())  # type: ignore[attr-defined]


def run(command: Sequence[str], path: str, patience: float = PATIENCE) -> Side:
    """Runs *command*, which writes its steps to *path*, to its end."""
    with open(path, "w", encoding="utf-8"), tempfile.TemporaryFile() as printed:
        with _process(command, printed) as process:
            exit_code = _end_of(process, path, patience)
        with open(path, encoding="utf-8") as file:
            log = Log.of(file.read())
        printed.seek(0)
        lines = printed.read().decode("utf-8", "replace").splitlines()
    return Side(log, exit_code, "\n".join(lines[-_SHOWN_LINES:]))


@contextlib.contextmanager
def _process(command: Sequence[str], printed: object) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a process and kills it after the block; where the system has process groups, also its children."""
    has_groups = hasattr(os, "killpg")
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=printed,  # type: ignore[call-overload]
        stderr=subprocess.STDOUT,
        # Unbuffered: otherwise the program's output would be written at its end, after the error that ended it.
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=has_groups,
    )
    try:
        yield process
    finally:
        if has_groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # no process is left
                os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
        process.wait()


def _end_of(process: subprocess.Popen[bytes], path: str, patience: float) -> Optional[int]:
    """Returns the exit code of *process*; None if nothing was written to *path* for *patience* seconds."""
    while True:
        written = os.path.getsize(path)
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            if os.path.getsize(path) == written:
                return None


def compared(ours: Side, queues: Side, steps: int) -> Tuple[str, bool]:
    """Returns the text of the comparison, and whether the two runs could be compared."""
    problems = [
        problem
        for words, side in (("compiled pipelines", ours), ("TensorFlow's own queues", queues))
        if len(side.log.steps) < steps  # how a program ends after its last step does not matter
        for problem in _problems(words, side)
    ]
    if problems:
        return "\n".join(problems), False
    common = min(len(ours.log.steps), len(queues.log.steps))
    lines = [f"queuecompat: compiled pipelines against TensorFlow's own queues, {counted(common, 'step')}"]
    if common < steps:
        lines[0] += f" (of {steps:,}: the program ended)"
    rows = [_Row("first step after, seconds", _first(ours.log), _first(queues.log))]
    rows += _rates(ours.log.steps[:common], queues.log.steps[:common])
    width = max(len(row.words) for row in rows)
    lines.append(f"  {'':{width}}  {'compiled':>12}  {'own queues':>12}")
    lines += [f"  {row.words:{width}}  {_number(row.ours):>12}  {_number(row.queues):>12}" for row in rows]
    lines.append("  " + _verdict(ours, queues, common))
    if ours.log.native:
        lines.append(
            f"  {ours.log.native} of {ours.log.native + ours.log.compiled} pipelines could not be compiled: "
            "run --report says why"
        )
    return "\n".join(lines), True


@dataclasses.dataclass(frozen=True)
class _Row:
    words: str
    ours: float
    queues: float


def _problems(words: str, side: Side) -> Iterator[str]:
    steps = len(side.log.steps)
    ended = f"after {counted(steps, 'step')}"
    if side.exit_code is None:
        yield f"queuecompat: on {words}, no step ended within {PATIENCE:.0f} s, {ended}; the run was stopped"
    elif side.exit_code:
        yield f"queuecompat: on {words}, the program failed {ended} (exit code {side.exit_code}):"
    elif not steps:
        yield f"queuecompat: on {words}, the program ran no step that reads from an input pipeline"
        return
    else:
        return
    yield "\n".join(f"  | {line}" for line in side.printed.splitlines())


def _first(log: Log) -> float:
    assert log.begin is not None  # it is written before any step
    return log.steps[0].seconds - log.begin


def _rates(ours: Sequence[Step], queues: Sequence[Step]) -> Iterator[_Row]:
    if len(ours) < 2:
        return
    pairs = [(steps[-1].seconds - steps[0].seconds, steps[-1].cpu - steps[0].cpu) for steps in (ours, queues)]
    (our_time, our_cpu), (their_time, their_cpu) = pairs
    count = len(ours) - 1
    yield _Row("then steps a second", count / max(our_time, 1e-9), count / max(their_time, 1e-9))
    # Only the ops of TensorFlow's own queues tell the number of examples; compiled pipelines deliver as many.
    examples = sum(step.examples for step in queues[1:]) if all(step.examples for step in queues) else 0
    if examples:
        yield _Row("     examples a second", examples / max(our_time, 1e-9), examples / max(their_time, 1e-9))
    per, what = (examples, "an example") if examples else (count, "a step")
    yield _Row(f"processor time {what}, ms", 1e3 * our_cpu / per, 1e3 * their_cpu / per)


def _verdict(ours: Side, queues: Side, common: int) -> str:
    times = [side.log.steps[common - 1].seconds - side.log.steps[0].seconds for side in (ours, queues)]
    if min(times) < LEAST:
        return f"too short to compare ({min(times):.2f} s after the first step): run more steps"
    ratio = times[1] / times[0]
    if 0.95 < ratio < 1.05:
        return "after the first step, both are equally fast: the model takes the time, not its input"
    return f"after the first step, compiled pipelines are {ratio:.1f} times as fast"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
