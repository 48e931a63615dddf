"""``python -m queuecompat``: the commands."""

from __future__ import annotations

import argparse
import functools
import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

from queuecompat import __version__
from queuecompat.running import programs
from queuecompat.running.start import start, tell

__all__ = ["main"]

_RUN = """\
Run a TensorFlow 1 program unchanged.

In the program's own files, "import tensorflow" means queuecompat.v1: TensorFlow 1's names, with queue
pipelines compiled to tf.data. Its own files are those below its folder, below the folders in PYTHONPATH,
below those given by --tree and below those that it adds to sys.path; installed libraries keep the real TensorFlow.
"""

_CHECK = """\
List every use of TensorFlow 1's input functions, and common mistakes in translating them to tf.data.

Files are read, but not run. In folders, all *.py and *.ipynb files are read. Exit code: 0 nothing found,
1 something found, 2 something could not be read.
"""

_MIGRATE = """\
Rewrite programs: print what would change as a diff, or write it.

  --to v1          imports of tensorflow become imports of queuecompat.v1
  --to as-dataset  input functions become datasets, and a simple session loop becomes a loop over a dataset
  --to tf-data     the same, and the queues of input functions become equivalent tf.data code

Formatting and comments are kept. Code that cannot be rewritten is left unchanged and listed on standard error.
Exit code: 0 everything was rewritten, 1 something was left unchanged, 2 something could not be read.
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
    _add_check(commands)
    _add_migrate(commands)
    run = commands.add_parser(
        "run",
        help="run a TensorFlow 1 program unchanged",
        description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--report] [--strict] [--tree DIR] (script.py | -m module | -c code) [argument ...]",
    )
    run.add_argument(
        "--report",
        action="store_true",
        help="after the run, print whether each pipeline was compiled, and how fast it was",
    )
    run.add_argument("--strict", action="store_true", help="stop at the first pipeline that cannot be compiled")
    run.add_argument(
        "--tree", action="append", default=[], metavar="DIR", help="also treat the files below DIR as the program's own"
    )
    what = run.add_mutually_exclusive_group()
    what.add_argument("-m", nargs=argparse.REMAINDER, dest="module", metavar="module", help="run a module")
    what.add_argument("-c", nargs=argparse.REMAINDER, dest="code", metavar="code", help="run a string")
    run.add_argument("script", nargs=argparse.REMAINDER, help="the program and its arguments")
    run.set_defaults(command=lambda options: _run(options, run))
    return parser


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="list TensorFlow 1 input code in programs",
        description=_CHECK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    check.add_argument("--format", choices=("json", "sarif", "text"), default="text", help="default: text")
    check.set_defaults(command=_check)


def _add_migrate(commands: Any) -> None:
    migrate = commands.add_parser(
        "migrate",
        help="rewrite programs",
        description=_MIGRATE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    migrate.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    migrate.add_argument("--to", choices=("as-dataset", "tf-data", "v1"), default="v1", help="default: v1")
    how = migrate.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="print what would change (default)")
    how.add_argument("--write", action="store_true", help="change the files")
    migrate.set_defaults(command=_migrate)


def _check(options: argparse.Namespace) -> None:
    from queuecompat.migrate import commands  # the parser takes a moment to load, and a program should start at once

    sys.exit(commands.check(options.paths, options.format))


def _migrate(options: argparse.Namespace) -> None:
    from queuecompat.migrate import commands

    sys.exit(commands.migrate(options.paths, options.to, writes=options.write))


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
