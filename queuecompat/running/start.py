"""Runs a program and reports its last error."""

from __future__ import annotations

import sys
import traceback
from typing import Any, Callable, List, Mapping, NoReturn, Optional, Sequence

from queuecompat._importing.imports import user_builtins
from queuecompat._importing.tree import Tree
from queuecompat.errors import layout
from queuecompat.running import libraries, processes, python2
from queuecompat.running.programs import Program
from queuecompat.running.tracebacks import only_the_program

__all__ = ["start", "tell"]


def start(
    program: Program,
    arguments: Sequence[str],
    *,
    folders: Sequence[str] = (),
    strict: bool = False,
    chosen: Optional[Mapping[str, Any]] = None,
    on_own_queues: bool = False,
    at_the_end: Optional[Callable[[], None]] = None,
) -> None:
    """Runs *program* with *arguments*, as ``__main__``.

    Args:
      folders: the user's, besides the program's own and those of PYTHONPATH.
      strict: whether a pipeline that cannot be compiled is an error (QC305).
      chosen: the options of its pipelines.
      on_own_queues: compile nothing, for a comparison.
      at_the_end: called after the program, however it ended.
    Raises:
      Whatever the program raises, after its traceback was printed; usually SystemExit.
    """
    tree = Tree.of_program(program.folder, folders)
    main = program.set_up(arguments)
    vars(main)["__builtins__"] = user_builtins()
    processes.begin(tree, strict=strict, chosen=chosen, on_own_queues=on_own_queues)
    try:
        exec(program.compile(), vars(main))
    except SystemExit:
        raise
    except BaseException as problem:
        tell(problem, program.folder, folders)
    finally:
        if at_the_end is not None:
            at_the_end()


def tell(problem: BaseException, folder: str = "", folders: Sequence[str] = ()) -> NoReturn:
    """Prints the error as Python would if it had run the program itself, and ends the process as Python would.

    Args:
      folder: the program's own.
      folders: as for ``start``.
    """
    only_the_program(problem)
    tree = Tree.of_program(folder, folders)
    old = python2.hint(problem)
    if old is not None and tree.has(_place(problem)[0]):
        _report_python2(problem, old)
    else:
        sys.excepthook(type(problem), problem, problem.__traceback__)
        library = libraries.hint(problem, tree)
        if library is not None:
            print(library, file=sys.stderr)
    # The traceback is printed already. Python's own handling of the error then sets the exit code or the signal.
    sys.excepthook = lambda *_: None
    raise problem


def _report_python2(problem: BaseException, old: str) -> None:
    path, line = _place(problem)
    text = layout("QC401", file=path, line=line, what=old, how=python2.remedy(problem, path))
    print(text, file=sys.stderr)


def _place(problem: BaseException) -> List[str]:
    """Returns the file and the line that *problem* is about."""
    if isinstance(problem, SyntaxError):
        return [problem.filename or "", str(problem.lineno)]
    places = [[frame.f_code.co_filename, str(line)] for frame, line in traceback.walk_tb(problem.__traceback__)]
    return places[-1] if places else ["", ""]
