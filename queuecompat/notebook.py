"""The IPython extension: the cell magic ``%%queuecompat``, and datasets whose plans IPython shows.

    %load_ext queuecompat

    %%queuecompat --report
    import tensorflow as tf
    ...                                 # TensorFlow 1's names, unchanged

Rule 1: The shell runs the cell itself, in the notebook's namespace, so that names, history, the value of the last line
        and tracebacks are as in any other cell. Only the meaning of ``import tensorflow`` in it is ours.
Rule 2: IPython is not imported. Only the shell that is passed to ``load_ipython_extension`` is used.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any, List, NoReturn, Optional

from queuecompat._importing.imports import user_builtins
from queuecompat._importing.tree import Tree
from queuecompat._namespace import behaviour
from queuecompat._native import strictness
from queuecompat._plan import options as plan_options
from queuecompat.errors import QueueCompatRuntimeError, error
from queuecompat.running import processes
from queuecompat.running.options import add_pipeline_options, chosen

__all__ = ["CellFailedError", "load_ipython_extension"]

_ABSENT = object()
_DATASET = ("tensorflow.python.data.ops.dataset_ops", "DatasetV2")  # tf.data.Dataset: its module and its name there


class CellFailedError(Exception):
    """The cell failed, and the shell has shown the error already."""

    def _render_traceback_(self) -> List[str]:
        """Returns what IPython shows of the error."""
        return [str(self)]


class _OptionsError(Exception):
    """The options of the magic are invalid; the text says why."""

    def _render_traceback_(self) -> List[str]:
        return [str(self)]


def load_ipython_extension(shell: Any) -> None:
    """Adds the cell magic ``%%queuecompat`` to *shell*; IPython calls this for ``%load_ext queuecompat``."""
    magic = _Magic(shell)
    shell.register_magic_function(magic.run, magic_kind="cell", magic_name="queuecompat")
    # By name, since this module does not import TensorFlow.
    shell.display_formatter.formatters["text/plain"].for_type_by_name(*_DATASET, _print)


def _print(dataset: Any, printer: Any, cycle: bool) -> None:
    """Prints a dataset for IPython in a terminal: the plan of one of ours, the usual repr of any other."""
    from queuecompat.explanation import plan_of

    printer.text(plan_of(dataset) or repr(dataset))


class _Magic:
    """``%%queuecompat`` in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._report: Optional[Any] = None

    def run(self, line: str, cell: str) -> Any:
        """Run the cell as ``python -m queuecompat run`` runs a program: ``%%queuecompat --help`` lists the options.

        In the cell, ``import tensorflow as tf`` means TensorFlow 1's names, with queue pipelines compiled to tf.data.
        The names that it defines are the notebook's. TensorFlow 1's behaviour (graphs, no eager execution) begins with
        the first such cell and holds for the whole kernel.
        """
        parser = _parser()
        try:
            options = parser.parse_args(shlex.split(line))
            of_pipelines = chosen(options, parser)
        except ValueError as problem:  # raised by shlex
            raise _OptionsError(f"%%queuecompat: {problem}") from None
        if behaviour.is_kept_eager():
            raise error(QueueCompatRuntimeError, "QC541")
        processes.begin(Tree.of_program("", options.tree), strict=options.strict, chosen=of_pipelines)
        if options.report and self._report is None:
            from queuecompat.reporting.collecting import report

            self._report = report()
        try:
            self._run_cell(cell)
        finally:
            strictness.set_strict(False)
            plan_options.choose_for_process({})
        return self._report if options.report else None

    def _run_cell(self, cell: str) -> None:
        names = self._shell.user_ns
        before = names.get("__builtins__", _ABSENT)
        names["__builtins__"] = user_builtins()
        try:
            result = self._shell.run_cell(cell, store_history=False)
        finally:
            if before is _ABSENT:
                del names["__builtins__"]
            else:
                names["__builtins__"] = before
        if not result.success:
            raise CellFailedError("the %%queuecompat cell failed: see the error above")


class _Parser(argparse.ArgumentParser):
    """A parser that ends the cell, not the kernel."""

    def error(self, message: str) -> NoReturn:
        raise _OptionsError(f"%%queuecompat: {message}\n{self.format_usage()}")

    def exit(self, status: int = 0, message: Optional[str] = None) -> NoReturn:
        raise _OptionsError(message or "")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%queuecompat", description="Run the cell as a TensorFlow 1 program.")
    parser.add_argument(
        "--report",
        action="store_true",
        help="after the cell, report how fast each pipeline was that was built since the first cell with --report",
    )
    add_pipeline_options(parser)
    return parser
