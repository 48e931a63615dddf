"""A process of the program's: the first one, and those that multiprocessing starts for it.

A fork has everything by itself. For ``spawn`` and ``forkserver``, multiprocessing starts a new Python with one
line of code, which unpickles what the process is to do, after it has run the program's file again as
``__mp_main__``. ``begin`` arranges that ``join`` is in front of that line: the new process is like the first
one before anything of the user's is imported.

Rule: multiprocessing's own functions build the line, wait for the process and report its errors. Nothing is
started here.
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
from queuecompat.running.tracebacks import only_the_program

__all__ = ["begin", "join"]

# The folder that this package is imported from: a new process may not have it in its path yet.
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# How the code begins that multiprocessing starts a new Python with.
_STARTS = ("from multiprocessing.spawn import ", "from multiprocessing.forkserver import ")


def begin(
    tree: Tree, *, strict: bool = False, chosen: Optional[Mapping[str, Any]] = None, on_own_queues: bool = False
) -> None:
    """Makes this process one of the program's, to its end; so are those that multiprocessing starts from here.

    Args:
      tree: the user's files.
      strict: a pipeline that cannot be compiled is an error (QC305).
      chosen: the options of all its pipelines (``queuecompat.options``).
      on_own_queues: nothing is compiled, to be compared with.
    """
    # Only here: migrate uses other parts of this package, and these modules take a moment to load.
    from multiprocessing import spawn, util

    strictness.set_strict(strict)
    own_queues.ask_for(on_own_queues)
    options.choose_for_process(chosen or {})
    behaviour.require_tensorflow_1()
    # To the end: the program's threads and exit handlers may import after its last line.
    UserModules(tree).__enter__()
    import_calls.offer(tree)
    spawn.get_command_line = _joining(spawn.get_command_line, tree)
    if hasattr(util, "spawnv_passfds"):  # not on Windows, which has no fork server
        util.spawnv_passfds = _fork_server_joining(util.spawnv_passfds, tree)


def join(
    folders: Sequence[str], at_start: Sequence[str], strict: bool, chosen: Mapping[str, Any], on_own_queues: bool
) -> None:
    """Makes this new process one of the program's.

    Args:
      folders, at_start: of the program's ``Tree``.
      strict, chosen, on_own_queues: as for ``begin``.
    """
    begin(Tree(folders, at_start), strict=strict, chosen=chosen, on_own_queues=on_own_queues)
    sys.excepthook = _tell
    from multiprocessing import spawn

    names = import_calls.with_user_builtins()
    # What runs the program's file again. Partial functions, as these are no frames of a traceback.
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
    """*arguments* of a Python that is to be started, with ``join`` in front of multiprocessing's code."""
    of_process = (strictness.is_strict(), options.chosen_for_process(), own_queues.are_asked_for())
    settings = ", ".join(map(repr, (tree.folders, tree.at_start, *of_process)))
    # A line of its own: Python 3.13 shows multiprocessing's line in a traceback, and ours is long.
    first = f"import sys; sys.path.append({_ROOT!r}); from {__name__} import join; join({settings})\n"
    return [
        first + argument if isinstance(argument, str) and argument.startswith(_STARTS) else argument
        for argument in arguments
    ]


def _tell(kind: Any, problem: BaseException, traceback: Any) -> None:
    sys.__excepthook__(kind, only_the_program(problem), problem.__traceback__)
