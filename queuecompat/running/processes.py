"""Sets up each process of the program: the first one, and those that multiprocessing starts for it.

A forked process inherits everything. For ``spawn`` and ``forkserver``, multiprocessing starts a new Python with one
line of code, which runs the program's file again as ``__mp_main__`` and then unpickles the process's task. ``begin``
arranges that a call of ``join`` precedes that line, so that the new process is set up like the first one before any of
the user's code is imported.

Rule: multiprocessing's own functions build the line, wait for the process and report its errors. Nothing is started
here.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import Any, Callable, List, Mapping, Optional, Sequence

from queuecompat._importing import import_calls
from queuecompat._importing.imports import UserModules
from queuecompat._importing.tree import Tree
from queuecompat._namespace import behaviour
from queuecompat._native import own_queues, strictness
from queuecompat._plan import options
from queuecompat._session import last_handler
from queuecompat.running.tracebacks import only_the_program

__all__ = ["begin", "join"]

# The folder that this package is imported from, which may not be in the path of a new process yet.
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The beginnings of the code with which multiprocessing starts a new Python.
_STARTS = ("from multiprocessing.spawn import ", "from multiprocessing.forkserver import ")


def begin(
    tree: Tree, *, strict: bool = False, chosen: Optional[Mapping[str, Any]] = None, on_own_queues: bool = False
) -> None:
    """Makes this process, to its end, one of the program's; and so all that multiprocessing starts from it.

    Args:
      tree: the user's files.
      strict: whether a pipeline that cannot be compiled is an error (QC305).
      chosen: the options of all its pipelines (``queuecompat.options``).
      on_own_queues: compile nothing, for a comparison.
    """
    # Imported here, because migrate uses other parts of this package, and these modules take a moment to load.
    from multiprocessing import spawn, util

    strictness.set_strict(strict)
    own_queues.ask_for(on_own_queues)
    options.choose_for_process(chosen or {})
    behaviour.require_tensorflow_1()
    # Never exited: the program's threads and exit handlers may import modules after its last line.
    UserModules(tree).__enter__()
    import_calls.offer(tree)
    spawn.get_command_line = _joining(spawn.get_command_line, tree)
    if hasattr(util, "spawnv_passfds"):  # not on Windows, which has no fork server
        util.spawnv_passfds = _fork_server_joining(util.spawnv_passfds, tree)
    last_handler.reserve()


def join(
    folders: Sequence[str], at_start: Sequence[str], strict: bool, chosen: Mapping[str, Any], on_own_queues: bool
) -> None:
    """Makes this new process one of the program's.

    Args:
      folders, at_start: as for the program's ``Tree``.
      strict, chosen, on_own_queues: as for ``begin``.
    """
    begin(Tree(folders, at_start), strict=strict, chosen=chosen, on_own_queues=on_own_queues)
    sys.excepthook = _tell
    from multiprocessing import spawn

    names = import_calls.with_user_builtins()
    # These functions run the program's file again. Partial functions, since these add no frame to a traceback.
    spawn.runpy = types.SimpleNamespace(  # type: ignore[attr-defined]
        run_path=functools.partial(spawn.runpy.run_path, init_globals=names),  # type: ignore[attr-defined]
        run_module=functools.partial(spawn.runpy.run_module, init_globals=names),  # type: ignore[attr-defined]
    )


def _joining(get_command_line: Callable[..., List[str]], tree: Tree) -> Callable[..., List[str]]:
    @functools.wraps(get_command_line)
    def command_line(**kwargs: Any) -> List[str]:
        return _joined(get_command_line(**kwargs), tree)

    return command_line


def _fork_server_joining(spawn_process: Callable[..., int], tree: Tree) -> Callable[..., int]:
    @functools.wraps(spawn_process)
    def spawned(path: Any, arguments: Sequence[Any], fds: Sequence[int]) -> int:
        return spawn_process(path, _joined(arguments, tree), fds)

    return spawned


def _joined(arguments: Sequence[Any], tree: Tree) -> List[Any]:
    """Returns the *arguments* for starting a Python process, with a call of ``join`` before multiprocessing's code."""
    of_process = (strictness.is_strict(), options.chosen_for_process(), own_queues.are_asked_for())
    settings = ", ".join(map(repr, (tree.folders, tree.at_start, *of_process)))
    # On a line of its own, since Python 3.13 shows multiprocessing's line in tracebacks, and ours is long.
    first = f"import sys; sys.path.append({_ROOT!r}); from {__name__} import join; join({settings})\n"
    return [
        first + argument if isinstance(argument, str) and argument.startswith(_STARTS) else argument
        for argument in arguments
    ]


def _tell(kind: Any, problem: BaseException, traceback: Any) -> None:
    sys.__excepthook__(kind, only_the_program(problem), problem.__traceback__)
