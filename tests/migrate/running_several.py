"""Runs several programs, one after the other: ``python running_several.py``, or ``queuecompat run running_several.py``.

In: a JSON object on the standard input, from names to texts of programs. Out: one JSON line for each, with the lines
that it printed; the last one is the error, if there was one.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import types
from typing import List

import tensorflow as tf


def printed(text: str) -> List[str]:
    """What the program prints, as the main module of a process of its own would."""
    module = types.ModuleType("__main__")
    said, earlier = io.StringIO(), sys.modules["__main__"]
    # Each session has a graph of its own; what needs none runs as TensorFlow 2 does.
    graph = tf.Graph().as_default() if "ession(" in text else contextlib.nullcontext()
    sys.modules["__main__"] = module
    try:
        with contextlib.redirect_stdout(said), graph:
            exec(compile(text, "program.py", "exec"), module.__dict__)
    except SystemExit:  # of app.run
        pass
    except BaseException as error:
        said.write(f"{type(error).__name__}: {error}\n")
    finally:
        sys.modules["__main__"] = earlier
    return said.getvalue().splitlines()


def main() -> None:
    for name, text in json.load(sys.stdin).items():
        sys.stdout.write(json.dumps([name, printed(text)]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
