"""``python -m queuecompat``: the commands."""

from __future__ import annotations

import argparse
import functools
import sys
from typing import Callable, List, Optional, Sequence, Tuple

from queuecompat import __version__
from queuecompat.running import programs
from queuecompat.running.start import start, tell

__all__ = ["main"]

_RUN = """\
Run a TensorFlow 1 program as it is.

In the program's own files, "import tensorflow" means queuecompat.v1: TensorFlow 1's names, with queue
pipelines compiled to tf.data. Its own files are those below its folder, below the folders of PYTHONPATH and
below those of --tree; installed libraries keep the real TensorFlow.
"""


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Runs one command.

    Args:
      arguments: in place of ``sys.argv[1:]``.
    """
    options = _parser().parse_args(arguments)
    options.command(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m queuecompat", description="TensorFlow 1 queue input pipelines on modern TensorFlow."
    )
    parser.add_argument("--version", action="version", version=f"queuecompat {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a TensorFlow 1 program as it is",
        description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--report] [--strict] [--tree DIR] (script.py | -m module | -c code) [argument ...]",
    )
    run.add_argument(
        "--report", action="store_true", help="say after the run what became of every pipeline, and how fast it was"
    )
    run.add_argument("--strict", action="store_true", help="stop at the first pipeline that cannot be compiled")
    run.add_argument(
        "--tree", action="append", default=[], metavar="DIR", help="the files below DIR are the program's own, too"
    )
    what = run.add_mutually_exclusive_group()
    what.add_argument("-m", nargs=argparse.REMAINDER, dest="module", metavar="module", help="run a module")
    what.add_argument("-c", nargs=argparse.REMAINDER, dest="code", metavar="code", help="run a string")
    run.add_argument("script", nargs=argparse.REMAINDER, help="the program and its arguments")
    run.set_defaults(command=lambda options: _run(options, run))
    return parser


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    make, words = _what(options)
    if not words:
        parser.error("a script, -m module or -c code is missing")
    try:
        program = make(words[0])
    except programs.AbsentError as problem:
        print(f"{parser.prog}: {problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except SystemExit:
        raise
    except BaseException as problem:  # of a package that the module is in
        assert problem.__traceback__ is not None
        tell(problem.with_traceback(problem.__traceback__.tb_next), folders=options.tree)
    at_the_end = None
    if options.report:
        from queuecompat.running.report import Report

        at_the_end = Report.begin().show
    start(program, words[1:], folders=options.tree, strict=options.strict, at_the_end=at_the_end)


def _what(options: argparse.Namespace) -> Tuple[Callable[[str], programs.Program], List[str]]:
    if options.module is not None:
        return functools.partial(programs.module, folders=options.tree), options.module
    if options.code is not None:
        return programs.code, options.code
    return programs.script, options.script
