"""One program, or its input function, in a scratch folder: the same for the recording and for the test."""

from __future__ import annotations

import json
import os
import re
from typing import Any, List

if __package__:
    from tests.forking import DEADLINE_SECONDS, Ran, Server
    from tests.scripts.small.catalogue import Program
else:  # record.py's: the judge has neither pytest nor these packages
    from catalogue import Program
    from forking import DEADLINE_SECONDS, Ran, Server

__all__ = ["elements_of", "error_of", "run_program"]

ELEMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "elements.py")


def run_program(server: Server, program: Program, data_dir: str, scratch: str, *, queuecompat: bool = False) -> Ran:
    """Runs *program* in *scratch*, where ``data`` is *data_dir*; with *queuecompat*, under its ``run``."""
    os.symlink(data_dir, os.path.join(scratch, "data"))
    return server.run(
        [program.path, *program.arguments],
        scratch,
        launcher=[*(["run"] if queuecompat else []), *(["--strict"] if queuecompat and program.compiles else [])],
        deadline=DEADLINE_SECONDS,
    )


def error_of(ran: Ran) -> str:
    """The type of the error that a program ended with; "" if it ended without."""
    if not ran.exit_code:
        return ""
    types = re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception))(?::|$)", ran.err, re.MULTILINE)
    return types[-1] if types else ""


def elements_of(server: Server, program: Program, data_dir: str, scratch: str) -> List[Any]:
    """The elements of the program's input function; lists of components, as ``elements.py`` prints them."""
    os.symlink(data_dir, os.path.join(scratch, "data"))
    inputs = program.inputs
    assert inputs is not None
    ran = server.run([ELEMENTS, program.path, inputs.function, str(inputs.count), inputs.prepare], scratch)
    if ran.exit_code:
        raise AssertionError(f"{program.name}, exit code {ran.exit_code}:\n{ran.err[-5000:]}")
    elements = json.loads(ran.out.splitlines()[-1])
    if inputs.unordered == "rows":
        elements = [list(row) for element in elements for row in zip(*element)]
    return sorted(elements, key=json.dumps) if inputs.unordered else elements
