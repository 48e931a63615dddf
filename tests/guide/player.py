"""Runs blocks of the guide and says what came of each. Run by ``test_blocks.py``: ``python player.py``.

In: one JSON list of blocks on the standard input. Out: one JSON line for each, on the standard output: what it printed,
the error that it raised and the warnings that it gave. One process runs many pages: to import TensorFlow takes seconds.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import linecache
import os
import sys
import tempfile
import traceback
import warnings
from typing import Any, Dict, List

# A block that hangs ends the process, with every thread's stack.
DEADLINE_SECONDS = 60


def play(block: Dict[str, Any], namespace: Dict[str, Any]) -> Dict[str, Any]:
    """Runs one block in *namespace*."""
    printed = io.StringIO()
    error = trace = None
    faulthandler.dump_traceback_later(DEADLINE_SECONDS, exit=True)
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            _execute(block["before"], block["place"] + " before", namespace)
            _execute(block["code"], block["place"], namespace)
        except Exception as problem:
            error, trace = f"{type(problem).__name__}: {problem}", traceback.format_exc()
    faulthandler.cancel_dump_traceback_later()
    texts = [f"{one.category.__name__}: {one.message}" for one in warned]
    return {"place": block["place"], "printed": printed.getvalue(), "error": error, "trace": trace, "warned": texts}


def _execute(code: str, place: str, namespace: Dict[str, Any]) -> None:
    # Tracebacks, autograph and inspect read the lines here.
    linecache.cache[place] = (len(code), None, code.splitlines(keepends=True), place)
    exec(compile(code, place, "exec"), namespace)


def main() -> None:
    blocks: List[Dict[str, Any]] = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import tensorflow as tf

    page = None
    scope = contextlib.ExitStack()
    namespace: Dict[str, Any] = {}
    for block in blocks:
        if block["page"] != page or block["fresh"]:
            scope.close()
            namespace = {"__name__": "__main__"}
            if block["mode"] == "v1":
                scope.enter_context(tf.Graph().as_default())
        if block["page"] != page:
            page = block["page"]
            os.chdir(tempfile.mkdtemp(dir=sys.argv[1]))
            tf.random.set_seed(None)  # a page may have set one
        print(json.dumps(play(block, namespace)), file=out, flush=True)
    scope.close()


if __name__ == "__main__":
    main()
