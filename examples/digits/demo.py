"""Make the records if they are not there yet, then train and evaluate.

    python examples/digits/demo.py
    python examples/digits/demo.py --data_dir ~/digits --num_epochs 10

Options it does not know go to train_digits.py. The exit code is that script's:
0 when the held-out accuracy reaches 95 %, else 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]


def environment() -> dict[str, str]:
    """Return the environment of both scripts: quiet, and able to import queuecompat."""
    variables = dict(os.environ)
    variables.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    if importlib.util.find_spec("queuecompat") is None:
        # A fresh checkout works before anybody has installed it.
        inherited = variables.get("PYTHONPATH")
        paths = [str(CHECKOUT)] + ([inherited] if inherited else [])
        variables["PYTHONPATH"] = os.pathsep.join(paths)
    return variables


def run(script: str, *arguments: str) -> int:
    """Run a script of this directory to its end; return its exit code."""
    command = [sys.executable, str(HERE / script), *arguments]
    return subprocess.run(command, env=environment(), check=False).returncode


def make_and_train(data_dir: Path, arguments: list[str]) -> int:
    """Return the exit code of the first script that fails, or 0."""
    # make_records.py writes this shard last.
    if not (data_dir / "test-00000-of-00001.tfrecords").exists():
        failure = run("make_records.py", f"--data_dir={data_dir}")
        if failure:
            return failure
    return run(
        "train_digits.py",
        f"--data_dir={data_dir}",
        f"--train_dir={data_dir / 'train'}",
        *arguments,
    )


def main() -> int:
    """Parse the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--data_dir", type=Path, help="kept afterwards; default: a temporary directory")
    options, for_training = parser.parse_known_args()
    if options.data_dir is not None:
        return make_and_train(options.data_dir.expanduser(), for_training)
    with tempfile.TemporaryDirectory(prefix="digits-") as directory:
        return make_and_train(Path(directory), for_training)


if __name__ == "__main__":
    sys.exit(main())
