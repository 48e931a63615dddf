"""Command-line options for how pipelines are run; shared by ``run`` and ``%%queuecompat``."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any, Mapping

__all__ = ["add_pipeline_options", "chosen"]

# Those that ``queuecompat.options`` has under the same name, with the same values (except for the dash in that of
# random).
_CHOSEN = ("shuffle", "shard", "random", "random_seed", "max_errors", "cache", "cache_bytes", "data_service")


def add_pipeline_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options to *parser*; ``chosen`` reads them."""
    parser.add_argument("--strict", action="store_true", help="stop at the first pipeline that cannot be compiled")
    parser.add_argument(
        "--tree",
        action="append",
        default=[],
        metavar="DIR",
        type=_folder_or_module,
        help="also treat the files below DIR as the program's own; or one module: a file LIBRARY.py",
    )
    _add_order(parser.add_argument_group("order and parts of the data"))
    _add_random_numbers_and_restarts(parser.add_argument_group("random numbers and restarts"))
    _add_bad_data(parser.add_argument_group("bad data"))
    _add_cache(parser.add_argument_group("cache"))
    _add_service(parser.add_argument_group("several machines"))


def _add_order(group: Any) -> None:
    group.add_argument(
        "--shuffle",
        choices=("global",),
        help="shuffle all records of all files in each epoch (if the program shuffles at all)",
    )
    group.add_argument(
        "--shard",
        metavar="NUMBER/COUNT",
        type=_shard,
        help="read only part NUMBER of COUNT equal parts of the data, counted from 0; 'auto' takes both from the "
        "cluster",
    )


def _add_random_numbers_and_restarts(group: Any) -> None:
    group.add_argument(
        "--checkpoint-input",
        action="store_true",
        help="save the positions of the pipelines in the program's checkpoints, and continue there after a restore",
    )
    group.add_argument(
        "--random",
        choices=("by-index",),
        help="random ops without a seed draw the same numbers for the same record of the same epoch, regardless of "
        "threads, shards and restarts",
    )
    group.add_argument(
        "--random-seed", type=int, metavar="N", help="with --random by-index, the seed of these numbers (default: 0)"
    )


def _add_bad_data(group: Any) -> None:
    group.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="skip: leave out records on which an op or a function fails, and list them at the end (default: raise)",
    )
    group.add_argument(
        "--max-errors",
        type=int,
        metavar="N",
        help="with --on-error skip, stop if more than N records of a pipeline fail",
    )


def _add_cache(group: Any) -> None:
    group.add_argument(
        "--cache",
        type=_ram_or_folder,
        metavar="ram|DIR",
        help="keep the results of the ops before the first random op, in memory or in a folder, instead of computing "
        "them in every epoch",
    )
    group.add_argument(
        "--cache-bytes",
        type=int,
        metavar="N",
        help="with --cache, the limit of a pipeline in bytes (default: half of the free memory or disk)",
    )


def _add_service(group: Any) -> None:
    group.add_argument(
        "--data-service",
        metavar="grpc://HOST:PORT",
        type=_service,
        help="compute the pipelines on the workers of the tf.data service with this dispatcher (see 'serve')",
    )
    group.add_argument(
        "--job-name",
        metavar="NAME",
        help="with --data-service, programs with the same job name share the data: each element goes to one of them "
        "(default: each program gets all data)",
    )


def chosen(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Mapping[str, Any]:
    """Returns those *options* about pipelines that are not the default, as arguments of ``queuecompat.options``.

    Invalid combinations end the program with an error of *parser*.
    """
    if options.max_errors is not None and (options.on_error != "skip" or options.max_errors < 0):
        parser.error("--max-errors needs --on-error skip, and a number that is not negative")
    if options.cache_bytes is not None and (options.cache is None or options.cache_bytes < 1):
        parser.error("--cache-bytes needs --cache, and a positive number")
    if options.job_name is not None and (options.data_service is None or not options.job_name):
        parser.error("--job-name needs --data-service, and a name that is not empty")
    if options.random_seed is not None and options.random is None:
        parser.error("--random-seed needs --random by-index")
    found = {name: getattr(options, name) for name in _CHOSEN if getattr(options, name) is not None}
    if options.random is not None:
        found["random"] = options.random.replace("-", "_")
    if options.job_name is not None:
        found["data_service_job"] = options.job_name
    if options.on_error == "skip":
        found["on_error"] = "skip"
    if options.checkpoint_input:
        found["checkpoint"] = True
    return found


def _folder_or_module(text: str) -> str:
    """Checks the value of ``--tree``."""
    if not os.path.isdir(text) and not (os.path.isfile(text) and text.endswith(".py")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder or a Python file")
    return text


def _ram_or_folder(text: str) -> str:
    """Checks the value of ``--cache``."""
    if os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"{text!r} is a file; write --cache ram, or --cache and a folder")
    return text


def _shard(text: str) -> Any:
    """Parses the value of ``--shard``."""
    if text == "auto":
        return text
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and int(number) < int(count)):
        raise argparse.ArgumentTypeError(f"{text!r} is not NUMBER/COUNT, with a NUMBER from 0 to COUNT - 1")
    return int(number), int(count)


def _service(text: str) -> str:
    """Checks the value of ``--data-service``."""
    if re.fullmatch(r"(\w+://)?[^\s/]+:\d+", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not grpc://HOST:PORT")
    return text
