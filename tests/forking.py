"""Runs many programs, each as if in a process of its own, for the price of one import of TensorFlow.

``Server`` starts this file as a process. It imports TensorFlow once, and forks for each program that it is
asked to run; programs that belong together run side by side. The fork has a ``__main__``, flags, signal handlers,
exit handlers and threads of its own, ends as a Python process ends, and cannot disturb the next one.

Rule 1: under queuecompat, the fork calls ``queuecompat.cli.main``: what ``python -m queuecompat run`` calls.
Rule 2: nothing runs in the process that forks: no session, no eager op, not even ``queuecompat.v1``, which
        turns TensorFlow 2's behaviour off.
Rule 3: what takes longer than the deadline ends with the stacks of all its threads on stderr.
Rule 4: at its end a fork takes the program's modules and queuecompat's apart, and not what was there before: that would
        take longer than most programs. A test of a session that outlives TensorFlow's modules starts Python itself.
Rule 5: a variable of the environment that TensorFlow reads while it is imported (TF_CPP_MIN_LOG_LEVEL) has no effect
        here, and neither has what comes before Python's first line; a test of those starts Python itself.

Python 3.7 runs it, too: record.py runs the programs under TF 1.15.5 with it.
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import types
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

__all__ = ["DEADLINE_SECONDS", "Program", "Ran", "Server"]

# Of each program. On a quiet machine they take a second at most.
DEADLINE_SECONDS = 90


class Ran(NamedTuple):
    """How a program ended, and what it wrote."""

    exit_code: int
    out: str
    err: str


class Program:
    """A program that runs."""

    def __init__(self, server: "Server", process: int, scratch: str) -> None:
        self._server = server
        self._process = process
        self._scratch = scratch

    def wait(self) -> Ran:
        """How it ended; to be called once."""
        status = self._server.ask({"wait": self._process})
        out, err = (_text(os.path.join(self._scratch, name)) for name in ("stdout", "stderr"))
        return Ran(-(status & 0x7F) or status >> 8, out, err)

    def kill(self) -> Ran:
        """Ends it at once."""
        # Its number is not used again before the wait.
        os.kill(self._process, signal.SIGKILL)
        return self.wait()


class Server:
    """A process that runs programs.

    Args:
      queuecompat: the folder that the package is in; None runs all programs plainly.
    """

    def __init__(self, queuecompat: Optional[str] = None) -> None:
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", OPENBLAS_NUM_THREADS="1")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", os.path.abspath(__file__), queuecompat or ""],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def start(
        self,
        command: List[str],
        scratch: str,
        *,
        launcher: Sequence[str] = (),
        deadline: int = DEADLINE_SECONDS,
        environment: Optional[Dict[str, str]] = None,
        warns: bool = False,
    ) -> Program:
        """Starts ``python COMMAND``, a script, ``-c`` and code, or ``-m`` and a module, in the folder *scratch*.

        Its ``stdout`` and ``stderr`` are files of that folder.

        Args:
          launcher: the command of queuecompat that runs it: it is ``python -m queuecompat LAUNCHER COMMAND``.
          deadline: in seconds.
          environment: variables beside those of the server.
          warns: whether warnings are written to stderr, as Python does by itself.
        """
        request = {"command": command, "launcher": list(launcher), "scratch": scratch, "deadline": deadline}
        request.update(environment=environment or {}, warns=warns)
        return Program(self, self.ask(request), scratch)

    def run(self, command: List[str], scratch: str, **arguments: Any) -> Ran:
        """The same, to its end."""
        return self.start(command, scratch, **arguments).wait()

    def ask(self, request: Dict[str, Any]) -> int:
        """The process's answer: the number of the process that it started, or how one ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that forks has ended; what it wrote to stderr says why")
        return int(answer)


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _show_warnings() -> None:
    """The filters with which Python starts."""
    sys.warnoptions.clear()
    warnings.resetwarnings()
    for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", kind)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")


def _program(request: Any) -> None:
    """The rest of a fork: the program, whose end is the end of the process."""
    os.chdir(request["scratch"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    faulthandler.dump_traceback_later(request["deadline"], exit=True)
    os.environ.update(request["environment"])
    if request["warns"]:
        _show_warnings()
    sys.path[1:1] = filter(None, request["environment"].get("PYTHONPATH", "").split(os.pathsep))
    command, launcher = request["command"], request["launcher"]
    if launcher:
        from queuecompat import cli

        cli.main([*launcher, *command])
    elif command[0] == "-c":
        sys.argv[:] = ["-c", *command[2:]]
        sys.path[0] = ""
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(command[1], "<string>", "exec"), vars(sys.modules["__main__"]))
    elif command[0] == "-m":
        sys.argv[:] = command[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = command
        sys.path[0] = os.path.dirname(command[0])
        runpy.run_path(command[0], run_name="__main__")


# Which the end of an interpreter still needs.
_PYTHONS_OWN = {"__main__", "builtins", "io", "os", "sys", "threading", "_thread"}


def _others() -> Dict[str, types.ModuleType]:
    """The modules that are there now, without queuecompat's and those above."""
    left_out = {*_PYTHONS_OWN, "queuecompat"}
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] not in left_out}


def _hide(names: Sequence[str]) -> None:
    """The end of the interpreter takes apart what is in ``sys.modules``."""
    for name in names:
        sys.modules.pop(name, None)


def main() -> None:
    hidden: List[str] = []
    # The first to be registered is the last to be called, after all that a program has registered.
    atexit.register(_hide, hidden)
    package = sys.argv[1]
    if package:
        sys.path.insert(1, package)
        import queuecompat.train  # noqa: F401
    import tensorflow  # noqa: F401

    others = _others()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(others))  # so that they are never freed
    # What is there already stays out of every fork's garbage collections.
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            print(os.waitpid(request["wait"], 0)[1], flush=True)
            continue
        process = os.fork()
        if not process:
            hidden.extend(others)
            _program(request)
            return
        print(process, flush=True)


if __name__ == "__main__":
    main()
