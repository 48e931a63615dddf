"""Decides whether TensorFlow 1's names come with TensorFlow 1's behaviour: graphs, sessions, no eager execution.

The behaviour is global to a process, and TensorFlow can change it only before it has been used. It is decided once, at
the first import of ``queuecompat.v1``, by the first of these rules that applies:

1. ``queuecompat run`` started the program, or the program has turned eager execution off: TensorFlow 1.
2. The program has run an op eagerly, or has called ``as_dataset``, ``load`` or ``tf1_imports``: TensorFlow 2.
3. A file other than the importing one has imported TensorFlow 2's ``tensorflow``, and that file is ``__main__`` or is
   on the call stack between ``__main__`` and the import: TensorFlow 2. In an interactive session ``__main__`` may be
   the importing file.
4. Otherwise: TensorFlow 1.

TensorFlow is not imported here before rule 4.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List, Optional

from queuecompat.errors import is_internal, layout, warn_user

__all__ = [
    "decide",
    "is_kept_eager",
    "is_tensorflow_1",
    "keep_tensorflow_2",
    "require_tensorflow_1",
    "turn_on_if_required",
]


class _State:
    """The state of this process: what was requested, and what was done."""

    is_required = False
    is_kept_eager = False
    is_on = False


def require_tensorflow_1() -> None:
    """Declares that this process runs a TensorFlow 1 program; imports nothing."""
    _State.is_required = True


def turn_on_if_required() -> None:
    """Turns TensorFlow 1's behaviour on, if ``require_tensorflow_1`` has been called."""
    if _State.is_required:
        _turn_on()


def keep_tensorflow_2() -> None:
    """Declares that the program uses something that needs eager execution."""
    _State.is_kept_eager = True


def is_kept_eager() -> bool:
    """Whether this process has used eager execution, so that TensorFlow 1's behaviour cannot be turned on."""
    if _State.is_on or "tensorflow" not in sys.modules or not _is_eager_by_default():
        return False
    return _State.is_kept_eager or _has_run_something()


def is_tensorflow_1() -> bool:
    """Whether TensorFlow 1's behaviour is on."""
    return _State.is_on or not _is_eager_by_default()


def decide() -> None:
    """Turns TensorFlow 1's behaviour on, or warns that TensorFlow 2's is kept (QC512)."""
    if _is_tensorflow_2_program():
        warn_user(layout("QC512"), UserWarning)
    else:
        _turn_on()


def _turn_on() -> None:
    if _State.is_on:
        return
    _State.is_on = True
    if importlib.util.find_spec("tf_keras") is not None:
        # TF1's tf.keras, tf.layers and tf.nn.rnn_cell are Keras 2; TensorFlow reads this variable at the first use of
        # Keras.
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import tensorflow.compat.v1 as tf

    from queuecompat._namespace import log_lines
    from queuecompat._namespace.older import calls, calls_of_numpy, dimensions, names
    from queuecompat._native import estimators
    from queuecompat._native.deprecations import without_queue_deprecations

    with without_queue_deprecations():
        tf.disable_v2_behavior()
    log_lines.print_once()
    names.bring_back_where_loaded()
    calls.take_in_all_files()
    dimensions.accept_whole_floats(tf.Dimension)
    calls_of_numpy.print_as_then(sys.modules["numpy"])  # TensorFlow has imported it
    estimators.offer()
    _leave_flags_to_the_program()


# Flags of Abseil's logging for log files, which Abseil writes only if a program asks for them. Many programs written
# before TensorFlow used Abseil define a flag with this name.
_UNUSED_FLAGS = ("log_dir",)


def _leave_flags_to_the_program() -> None:
    """Lets the program define these flags itself, which TensorFlow 1.15 refused."""
    from absl import flags

    for name in _UNUSED_FLAGS:
        if name in flags.FLAGS:
            flags.FLAGS[name].allow_override = True


def _is_tensorflow_2_program() -> bool:
    if _State.is_required or "tensorflow" not in sys.modules or not _is_eager_by_default():
        return False
    return _State.is_kept_eager or _has_run_something() or _is_imported_by_tensorflow_2()


def _is_eager_by_default() -> bool:
    import tensorflow as tf

    # A graph may be the default in this thread, which tells nothing about the program.
    return _in_a_new_thread(tf.executing_eagerly)


def _in_a_new_thread(call: Callable[[], bool]) -> bool:
    found: List[bool] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def _has_run_something() -> bool:
    """Whether TensorFlow has set up its eager runtime: the first eager op or function does that, an import does not."""
    import tensorflow as tf

    threads = tf.config.threading
    before = threads.get_inter_op_parallelism_threads()
    try:
        # TensorFlow refuses to change this setting once the runtime exists. The number must differ, because the current
        # one is accepted silently.
        threads.set_inter_op_parallelism_threads((before or os.cpu_count() or 1) + 1)
    except RuntimeError:
        return True
    threads.set_inter_op_parallelism_threads(before)
    return False


def _is_imported_by_tensorflow_2() -> bool:
    main = vars(sys.modules["__main__"])
    importing, *others = [*_importing_files(), main]
    if importing is main:
        return hasattr(sys, "ps1") and _has_tensorflow_2(main)
    return any(_has_tensorflow_2(names) for names in others if names is not importing)


def _importing_files() -> Iterator[Dict[str, Any]]:
    """Yields the globals of files on the call stack, the importing one first; not of TensorFlow, Python and us."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not is_internal(path) and not path.startswith(("<frozen importlib", importlib.__file__)):
            yield frame.f_globals
        frame = frame.f_back


def _has_tensorflow_2(names: Dict[str, Any]) -> bool:
    return any(value is sys.modules["tensorflow"] for value in list(names.values()))
