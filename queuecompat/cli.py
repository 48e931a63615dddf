"""The command line: ``python -m queuecompat``."""

from __future__ import annotations

import argparse
import difflib
import functools
import importlib.util
import re
import sys
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, NoReturn, Optional, Sequence, Tuple

from queuecompat import __version__
from queuecompat.printing import until_closed
from queuecompat.running import programs
from queuecompat.running.options import add_pipeline_options, chosen
from queuecompat.running.start import start, tell

if TYPE_CHECKING:  # it imports TensorFlow
    from queuecompat.reporting.collecting import Report

__all__ = ["main"]

_RUN = """\
Run a TensorFlow 1 program unchanged.

In the program's own files, "import tensorflow" means queuecompat.v1: TensorFlow 1's names, with queue
pipelines compiled to tf.data. Its own files are those below its folder, below the folders of PYTHONPATH
and --tree, and below folders that it adds to sys.path. Installed libraries keep the real TensorFlow.

examples:
  python -m queuecompat run train.py --batch_size=32
  python -m queuecompat run --report -m trainer.task --data_dir=/data
  python -m queuecompat run --compare 500 train.py --train_dir=/tmp/new
"""

_EXPLAIN = """\
Explain an error code, or show how a name of TensorFlow 1 is supported.

examples:
  python -m queuecompat explain QC301
  python -m queuecompat explain tf.train.shuffle_batch
  python -m queuecompat explain                           (lists all codes)
"""

_CHECK = """\
List every use of TensorFlow 1's input functions, and common mistakes in translating them to tf.data.

Files are read, but not run. In a folder, all *.py and *.ipynb files are read. Exit code: 0 nothing found,
1 something found, 2 something could not be read.

examples:
  python -m queuecompat check train.py
  python -m queuecompat check --select=QC701,QC72 .
  python -m queuecompat check --format=sarif . > findings.sarif
"""

_INDEX = """\
Index the records of files: write down where each record begins, beside each file or in a cache folder.

Reading in a global order (run --shuffle global) or in shards (--shard) needs an index, and builds it if it is missing.
Files that are truncated or compressed, or in which the length of a record is damaged, are listed with the place; the
contents of records are not checked. Exit code: 0 all files have an index, 1 some do not.

examples:
  python -m queuecompat index data/*.tfrecords
  python -m queuecompat index --lines --cache data/*.csv
"""

_SERVE = """\
Start a dispatcher or a worker of a tf.data service. Its workers compute the pipelines of programs that are run with
--data-service. This command runs in the foreground and ends on Ctrl-C or SIGTERM.

One dispatcher distributes the data to any number of workers. Each worker reads the files itself, so they must have
the same paths there as on the machine where the program runs.

examples:
  python -m queuecompat serve --dispatcher --port 5050
  python -m queuecompat serve --worker --dispatcher-address 10.0.0.1:5050
"""

_MIGRATE = """\
Rewrite programs: print what would change as a diff, or write it.

  --to v1          imports of tensorflow become imports of queuecompat.v1
  --to as-dataset  input functions become datasets, and a simple session loop becomes a loop over a dataset
  --to tf-data     the same, and the queues of input functions become equivalent tf.data code

Formatting and comments are kept. Code that cannot be rewritten is left unchanged and listed on standard error.
Exit code: 0 everything was rewritten, 1 something was left unchanged, 2 something could not be read.

examples:
  python -m queuecompat migrate --to v1 train.py
  python -m queuecompat migrate --to as-dataset --write project/
"""


_COMPARED_STEPS = 200  # for --compare without a number


class _Parser(argparse.ArgumentParser):
    """A parser that, for an unknown word, suggests what was probably meant.

    Attributes:
      commands: the parsers of its commands, by their names.
    """

    commands: Mapping[str, argparse.ArgumentParser] = {}

    def error(self, message: str) -> NoReturn:
        super().error(message + self._suggestion(message))

    def _suggestion(self, message: str) -> str:
        choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            return _nearest(choice[1], re.findall(r"[\w-]+", choice[2]))
        option = re.search(r"unrecognized arguments: (--[\w-]+)", message)
        return _nearest(option[1], re.findall(r"(?<![\w-])--[\w-]+", _options_of(self))) if option else ""


def _nearest(word: str, known: Sequence[str], similarity: float = 0.6) -> str:
    """Returns a suggestion to add to an error about *word*; empty if none of *known* is similar enough (0 to 1)."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=similarity)
    return f"; did you mean {near[0]}?" if near else ""


def _of_last_part(word: str, known: Sequence[str]) -> str:
    """Returns the same for a *word* that resembles the last part of a dotted name in *known*."""
    parts = {name.rpartition(".")[2] for name in known if "." in name}
    nearest = difflib.get_close_matches(word, sorted(parts), n=1, cutoff=0.85)
    whole = [name for name in known if nearest and name.endswith(f".{nearest[0]}")]
    shortest = min(whole, key=lambda name: (name.count("."), name), default="")
    return f"; did you mean {shortest}?" if shortest else ""


def _options_of(parser: _Parser) -> str:
    """Returns a text with all options of *parser* and of its commands, which leave errors to the main parser."""
    return "\n".join(one.format_help() for one in (parser, *parser.commands.values()))


class _PrintCompletion(argparse.Action):
    """Prints the script that lets a shell complete the command's words."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Optional[str] = None
    ) -> None:
        try:
            import shtab
        except ImportError:
            parser.error(f"{option} needs shtab: pip install 'queuecompat[completion]'")
        parser.prog = "queuecompat"  # shells complete the installed command
        print(shtab.complete(parser, values))
        parser.exit()


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Runs one command.

    Args:
      arguments: in place of ``sys.argv[1:]``.
    """
    options = _parser().parse_args(_with_values(sys.argv[1:] if arguments is None else list(arguments)))
    options.command(options)


# The options of ``run`` that need a value,
_WITH_VALUES = (
    "--tree",
    "--shuffle",
    "--shard",
    "--random",
    "--random-seed",
    "--on-error",
    "--max-errors",
    "--cache",
    "--cache-bytes",
    "--data-service",
    "--job-name",
)
# and those with an optional value: a pattern for the value. A word that does not match it is the program.
_MAY_HAVE_VALUES = {"--report": r"(?i).*\.(html|json)", "--compare": r"\d+"}


def _with_values(arguments: List[str]) -> List[str]:
    """Returns *arguments* with a value, perhaps an empty one, for each option of ``run`` whose value is optional."""
    if arguments[:1] != ["run"]:
        return arguments
    found, rest = ["run"], arguments[1:]
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        word, *rest = rest
        if word in _MAY_HAVE_VALUES:
            has_value = bool(rest) and re.fullmatch(_MAY_HAVE_VALUES[word], rest[0])
            found.append(f"{word}={rest.pop(0) if has_value else ''}")
        else:
            found += [word, *([rest.pop(0)] if word in _WITH_VALUES and rest else [])]
    return found + rest


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m queuecompat", description="TensorFlow 1 queue input pipelines on modern TensorFlow."
    )
    parser.add_argument("--version", action="version", version=f"queuecompat {__version__}")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "tcsh", "zsh"),
        help="print a script that completes this command in the given shell",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parser.commands = commands.choices
    _add_check(commands)
    _add_explain(commands)
    _add_index(commands)
    _add_migrate(commands)
    _add_run(commands)
    _add_serve(commands)
    return parser


def _command(commands: Any, name: str, summary: str, description: str, usage: Optional[str] = None) -> Any:
    """Adds the parser of a new command; its *description* is printed without reformatting."""
    how = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=summary, description=description, formatter_class=how, usage=usage)


def _add_run(commands: Any) -> None:
    run = _command(
        commands,
        "run",
        "run a TensorFlow 1 program unchanged",
        _RUN,
        usage="%(prog)s [option ...] (script.py | -m module | -c code) [argument ...]",
    )
    run.add_argument(
        "--report",
        metavar="[FILE]",
        help="after the run, report for each pipeline whether it was compiled, how fast it was, and what would make it "
        "faster; FILE receives the report as a page (.html) or as data (.json)",
    )
    run.add_argument(
        "--compare",
        metavar="[STEPS]",
        help=f"run the program twice for STEPS steps (default: {_COMPARED_STEPS}), compiled and on TensorFlow's own "
        "queues, and print the speed of each; the program's output is not shown, and its files are written twice",
    )
    run.add_argument("--own-queues", action="store_true", help=argparse.SUPPRESS)  # for the processes of --compare
    run.add_argument("--record-steps", metavar="STEPS:FILE", help=argparse.SUPPRESS)
    add_pipeline_options(run)
    what = run.add_mutually_exclusive_group()
    what.add_argument("-m", nargs=argparse.REMAINDER, dest="module", metavar="module", help="run a module")
    what.add_argument("-c", nargs=argparse.REMAINDER, dest="code", metavar="code", help="run a string of code")
    run.add_argument("script", nargs=argparse.REMAINDER, help="the program and its arguments")
    run.set_defaults(command=lambda options: _run(options, run))


def _add_serve(commands: Any) -> None:
    serve = _command(commands, "serve", "start a dispatcher or a worker of a tf.data service", _SERVE)
    what = serve.add_mutually_exclusive_group(required=True)
    what.add_argument("--dispatcher", action="store_true", help="distribute the data to workers")
    what.add_argument("--worker", action="store_true", help="compute pipelines for a dispatcher")
    serve.add_argument(
        "--port",
        type=int,
        help="the port to listen on; 0 takes a free one (default: 5050 for a dispatcher, 5051 for a worker). Restart a "
        "worker with the same port",
    )
    serve.add_argument("--dispatcher-address", metavar="HOST:PORT", help="for --worker: the address of its dispatcher")
    serve.add_argument(
        "--host",
        metavar="NAME",
        help="for --worker: the name or address at which programs reach it (default: the one that the dispatcher sees)",
    )
    serve.add_argument(
        "--work-dir",
        metavar="DIR",
        help="for --dispatcher: keep its state in DIR, so that it can be restarted",
    )
    serve.set_defaults(command=lambda options: _serve(options, serve))


def _add_check(commands: Any) -> None:
    check = _command(commands, "check", "list TensorFlow 1 input code in programs", _CHECK)
    check.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    check.add_argument(
        "--format", choices=("json", "sarif", "text"), default="text", help="the output format (default: text)"
    )
    check.add_argument(
        "--select",
        action="append",
        metavar="CODES",
        type=_codes,
        help="show only findings whose codes begin with one of these, separated by commas: QC701,QC72",
    )
    check.set_defaults(command=_check)


def _add_explain(commands: Any) -> None:
    explain = _command(
        commands, "explain", "explain an error code, or show how a name of TensorFlow 1 is supported", _EXPLAIN
    )
    explain.add_argument("word", nargs="?", metavar="CODE_OR_NAME", help="such as QC301 or tf.train.batch")
    explain.set_defaults(command=lambda options: _explain(options, explain))


def _add_index(commands: Any) -> None:
    index = _command(commands, "index", "index the records of files", _INDEX)
    index.add_argument("files", nargs="+", metavar="FILE", help="an uncompressed file of records")
    index.add_argument("--lines", action="store_true", help="the records are lines (default: TFRecords)")
    index.add_argument(
        "--cache",
        action="store_true",
        help="write the indices to $QUEUECOMPAT_INDEX_CACHE or the user's cache folder, instead of beside the files",
    )
    index.set_defaults(command=_index)


def _add_migrate(commands: Any) -> None:
    migrate = _command(commands, "migrate", "rewrite programs", _MIGRATE)
    migrate.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    migrate.add_argument(
        "--to", choices=("as-dataset", "tf-data", "v1"), required=True, help="the target of the rewrite"
    )
    how = migrate.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="print what would change (default)")
    how.add_argument("--write", action="store_true", help="change the files")
    migrate.set_defaults(command=_migrate)


def _check(options: argparse.Namespace) -> None:
    from queuecompat.migrate import commands  # slow to load, and other commands should start at once

    codes = [code for group in options.select or [["QC"]] for code in group]
    sys.exit(commands.check(options.paths, options.format, codes))


def _codes(words: str) -> List[str]:
    """Parses a list of codes or prefixes of codes, for ``argparse``."""
    from queuecompat.codes import CODES
    from queuecompat.errors import EXPLAIN

    codes = [word.strip().upper() for word in words.split(",")]
    for code in codes:
        if not code or not any(known.startswith(code) for known in CODES):
            raise argparse.ArgumentTypeError(f"no code begins with '{code}'; {EXPLAIN} lists them")
    return codes


def _explain(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    from queuecompat.errors import EXPLAIN
    from queuecompat.reference import words

    text = words.explained(options.word)
    if text is None:
        rest = ". Names of tensorflow.compat.v1 that are not listed are TensorFlow's own in queuecompat.v1"
        if re.fullmatch(r"(QC)?\d+", options.word, re.IGNORECASE):
            rest = f"; {EXPLAIN} lists the codes"
        near = _nearest(options.word, words.known(), 0.85) or _of_last_part(options.word, words.known())
        parser.error(f"'{options.word}' is not a known code or name" + (near or rest))
    with until_closed():
        print(text)


def _index(options: argparse.Namespace) -> None:
    from queuecompat.records.indexing import index

    sys.exit(index(options.files, "TextLine" if options.lines else "TFRecord", cache=options.cache))


def _migrate(options: argparse.Namespace) -> None:
    from queuecompat.migrate import commands

    sys.exit(commands.migrate(options.paths, options.to, writes=options.write))


def _serve(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    if options.worker and not options.dispatcher_address:
        parser.error("--worker needs --dispatcher-address HOST:PORT")
    if options.dispatcher and (options.dispatcher_address or options.host):
        parser.error("--dispatcher-address and --host are for a --worker")
    if options.worker and options.work_dir:
        parser.error("--work-dir is for a --dispatcher")
    if options.worker and not re.search(r"[^:/]:\d+$", options.dispatcher_address):
        parser.error(f"--dispatcher-address {options.dispatcher_address!r} is not HOST:PORT")
    if options.port is not None and not 0 <= options.port <= 65535:
        parser.error(f"--port {options.port} is not a port: use 0 to 65535")
    _require_tensorflow(parser)
    from queuecompat import serving

    if options.dispatcher:
        sys.exit(serving.serve_dispatcher(5050 if options.port is None else options.port, options.work_dir))
    port = 5051 if options.port is None else options.port
    sys.exit(serving.serve_worker(options.dispatcher_address, port, options.host))


def _require_tensorflow(parser: argparse.ArgumentParser) -> None:
    """Ends the command with a one-line message if TensorFlow is missing, instead of the traceback of an import."""
    if "tensorflow" not in sys.modules and importlib.util.find_spec("tensorflow") is None:
        print(
            f"{parser.prog}: {sys.executable} has no TensorFlow, which this command needs: "
            "python -m pip install tensorflow",
            file=sys.stderr,
        )
        sys.exit(1)


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    make, words = _what(options)
    if not words:
        parser.error("a script, -m module or -c code is missing")
    _require_tensorflow(parser)
    if options.compare is not None:
        _compare(options, parser)
    start(
        _loaded(make, words[0], options, parser),
        words[1:],
        folders=options.tree,
        strict=options.strict,
        chosen=chosen(options, parser),
        on_own_queues=options.own_queues,
        at_the_end=_at_the_end(options, parser),
    )


def _loaded(
    make: Callable[[str], programs.Program], name: str, options: argparse.Namespace, parser: argparse.ArgumentParser
) -> programs.Program:
    """Returns the program called *name*; ends the process if it does not exist, or if a package of it fails."""
    try:
        return make(name)
    except programs.AbsentError as problem:
        # "--report figures.txt train.py": a word that does not look like the option's value is taken for the program.
        hint = " (the file of --report ends in .html or .json)" if options.report == "" else ""
        print(f"{parser.prog}: {problem}{hint}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except SystemExit:
        raise
    except BaseException as problem:  # raised by a package that contains the module
        assert problem.__traceback__ is not None
        tell(problem.with_traceback(problem.__traceback__.tb_next), folders=options.tree)


def _at_the_end(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Optional[Callable[[], None]]:
    """Begins to observe the run, if *options* ask for it; returns what writes the result after the run, or None."""
    if options.record_steps is not None:
        from queuecompat.running.recording import record

        steps, _, file = options.record_steps.partition(":")
        return record(file, int(steps))
    if options.report is None:
        return None
    from queuecompat.reporting.collecting import Report, form_of

    if options.report:
        try:
            form_of(options.report)  # checked now, not at the end of a long run
        except ValueError as problem:
            parser.error(str(problem))
    report = Report.begin()
    return functools.partial(_write_report, report, options.report) if options.report else report.show


def _write_report(report: Report, path: str) -> None:
    if report.write(path):
        print(f"queuecompat: the report on the input pipelines is in {path}", file=sys.stderr, flush=True)


def _compare(options: argparse.Namespace, parser: argparse.ArgumentParser) -> NoReturn:
    from queuecompat.running.comparing import compare

    steps = int(options.compare or _COMPARED_STEPS) if (options.compare or "1").isdecimal() else 0
    if steps < 2:
        parser.error(f"--compare needs at least 2 steps, not {options.compare!r}")
    # These need what TensorFlow's own queues cannot do, or would measure only one of the two runs.
    for name in ("report", "shuffle", "shard", "random", "cache", "data_service"):
        if getattr(options, name) is not None:
            parser.error(f"--compare cannot be used with --{name}")
    if options.on_error == "skip" or options.strict:
        parser.error(f"--compare cannot be used with --{'strict' if options.strict else 'on-error skip'}")
    program = options.script
    for flag, rest in (("-m", options.module), ("-c", options.code)):
        program = program if rest is None else [flag, *rest]
    sys.exit(compare([*(f"--tree={folder}" for folder in options.tree), *program], steps))


def _what(options: argparse.Namespace) -> Tuple[Callable[[str], programs.Program], List[str]]:
    if options.module is not None:
        return functools.partial(programs.module, folders=options.tree), options.module
    if options.code is not None:
        return programs.code, options.code
    return programs.script, options.script
