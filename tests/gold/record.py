"""Records the results of TF 1.15.5 for every gold case: ``python tests/gold/record.py``.

Run it with TF 1.15.5 on Python 3.7. Other versions write only with ``--into FOLDER``; what compare.py then finds
between that folder and the recordings are differences of TensorFlow itself.
test_gold.py gets our results with ``--namespace queuecompat.v1 --into FOLDER``. A case that fails leaves its traceback
in ``<case>.txt`` instead of its arrays.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import os
import sys
import time
import traceback
import warnings
from typing import Any, List, Optional

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from cases import CASES  # noqa: E402

JUDGE = "1.15.5"
# A case that takes longer hangs: its stacks are printed and the recording ends.
DEADLINE_SECONDS = 120


def _namespace(module: Optional[str]) -> Any:
    """The ``tf`` to record: *module*, or the TF1 namespace of the installed TensorFlow."""
    if module is not None:
        return importlib.import_module(module)
    import tensorflow

    if tensorflow.__version__.startswith("1."):
        return tensorflow
    tensorflow.compat.v1.disable_v2_behavior()
    return tensorflow.compat.v1


def _arguments(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", metavar="FOLDER", help="write here, under any version")
    parser.add_argument("--namespace", metavar="MODULE", help="record this module as tf")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="these alone; every case if none")
    return parser.parse_args(arguments)


def main(arguments: Optional[List[str]] = None) -> int:
    options = _arguments(arguments)
    warnings.simplefilter("ignore")
    tf = _namespace(options.namespace)
    version = getattr(tf, "__version__", "unknown")
    if options.into is None and (version != JUDGE or options.namespace is not None):
        print(f"This is TF {version}; only {JUDGE} is recorded. Give --into FOLDER.")
        return 2
    folder = options.into or os.path.join(HERE, "recorded")
    os.makedirs(folder, exist_ok=True)
    tf.logging.set_verbosity(tf.logging.FATAL)
    failed = 0
    for name, case in CASES.items():
        if options.cases and name not in options.cases:
            continue
        began = time.time()
        faulthandler.dump_traceback_later(DEADLINE_SECONDS, exit=True)
        try:
            result = case(tf)
        except Exception as error:  # the others are still worth recording
            failed += 1
            with open(os.path.join(folder, name + ".txt"), "w") as file:
                file.write(traceback.format_exc())
            print(f"{name:<72} FAILED {type(error).__name__}: {error}", flush=True)
            continue
        finally:
            faulthandler.cancel_dump_traceback_later()
        np.savez_compressed(os.path.join(folder, name + ".npz"), **result)
        print(f"{name:<72} {len(result):3} arrays, {time.time() - began:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
