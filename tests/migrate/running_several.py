"""Runs several programs, one after the other: ``python running_several.py``, or ``queuecompat run running_several.py``.

In: a JSON object on the standard input, from names to programs: each a text, or for one of several files a list of a
folder and the module or file in it that is started. Out: one JSON line for each, with the lines that it printed; the
last one is the error, if there was one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
import types
from typing import Callable, List, Sequence, Union

import tensorflow as tf
from absl import flags


def printed(program: Union[str, Sequence[str]]) -> List[str]:
    """What the program prints, as in a process of its own."""
    if isinstance(program, str):
        return _said(lambda: _run_text(program), "ession(" in program)
    folder, start = program
    return _said(lambda: _start(folder, start), not tf.executing_eagerly())


def _said(run: Callable[[], None], has_session: bool) -> List[str]:
    said, earlier, known = io.StringIO(), sys.modules["__main__"], set(flags.FLAGS)
    # Each session has a graph of its own; what needs none runs as TensorFlow 2 does.
    graph = tf.Graph().as_default() if has_session else contextlib.nullcontext()
    try:
        with contextlib.redirect_stdout(said), graph:
            run()
    except SystemExit:  # of app.run
        pass
    except BaseException as error:
        said.write(f"{type(error).__name__}: {error}\n")
    finally:
        sys.modules["__main__"] = earlier
        for name in set(flags.FLAGS) - known:
            delattr(flags.FLAGS, name)
    return said.getvalue().splitlines()


def _run_text(text: str) -> None:
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(text, "program.py", "exec"), module.__dict__)


def _start(folder: str, start: str) -> None:
    """``python start``, or ``python -m start``, in *folder*."""
    known, path, arguments = set(sys.modules), list(sys.path), sys.argv
    is_file = start.endswith(".py")
    os.chdir(folder)
    sys.path.insert(0, os.path.dirname(os.path.abspath(start)) if is_file else folder)
    sys.argv = [start]
    try:
        if is_file:
            runpy.run_path(start, run_name="__main__")
        else:
            runpy.run_module(start, run_name="__main__", alter_sys=True)
    finally:
        sys.path[:], sys.argv = path, arguments
        for name in set(sys.modules) - known:
            if (getattr(sys.modules[name], "__file__", None) or folder).startswith(folder):
                del sys.modules[name]


def main() -> None:
    for name, program in json.load(sys.stdin).items():
        sys.stdout.write(json.dumps([name, printed(program)]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
