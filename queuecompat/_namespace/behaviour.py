"""Whether TensorFlow 1's names come with TensorFlow 1's behaviour: graphs, sessions, no eager execution.

Behaviour belongs to a process, and TensorFlow can change it only before it has been used. It is decided once, at the
first import of ``queuecompat.v1``, by the first of these rules that holds:

1. ``queuecompat run`` started the program, or the program has turned eager execution off: TensorFlow 1.
2. The program has run something eagerly, or has called ``as_dataset``, ``load`` or ``tf1_imports``: TensorFlow 2.
3. A file other than the importing one has imported TensorFlow 2's ``tensorflow`` itself, and is ``__main__`` or is on
   the way from ``__main__`` to the import: TensorFlow 2. In an interactive session ``__main__`` may be the importing
   one.
4. Otherwise TensorFlow 1.

No TensorFlow is imported here before rule 4.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List

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
    """Of this process: what has been asked for, and what was done."""

    is_required = False
    is_kept_eager = False
    is_on = False


def require_tensorflow_1() -> None:
    """This process runs a program of TensorFlow 1; imports nothing."""
    _State.is_required = True


def turn_on_if_required() -> None:
    """TensorFlow 1's behaviour, if ``require_tensorflow_1`` has been called."""
    if _State.is_required:
        _turn_on()


def keep_tensorflow_2() -> None:
    """The program uses what needs eager execution."""
    _State.is_kept_eager = True


def is_kept_eager() -> bool:
    """Whether this process has used TensorFlow 2's eager execution, so that TensorFlow 1's behaviour can not begin."""
    if _State.is_on or "tensorflow" not in sys.modules or not _is_eager_by_default():
        return False
    return _State.is_kept_eager or _has_run_something()


def is_tensorflow_1() -> bool:
    """Whether TensorFlow 1's behaviour is on."""
    return _State.is_on or not _is_eager_by_default()


def decide() -> None:
    """Turns TensorFlow 1's behaviour on, or warns that TensorFlow 2's stays (QC512)."""
    if _is_tensorflow_2_program():
        warn_user(layout("QC512"), UserWarning)
    else:
        _turn_on()


def _turn_on() -> None:
    if _State.is_on:
        return
    _State.is_on = True
    if importlib.util.find_spec("tf_keras") is not None:
        # TF1's tf.keras, tf.layers and tf.nn.rnn_cell are Keras 2; TensorFlow asks this at the first use of Keras.
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import tensorflow.compat.v1 as tf

    from queuecompat._namespace import log_lines
    from queuecompat._namespace.older import calls, calls_of_numpy, names
    from queuecompat._native import estimators
    from queuecompat._native.deprecations import without_queue_deprecations

    with without_queue_deprecations():
        tf.disable_v2_behavior()
    log_lines.print_once()
    names.bring_back_where_loaded()
    calls.take_in_all_files()
    calls_of_numpy.print_as_then(sys.modules["numpy"])  # TensorFlow has imported it
    estimators.offer()
    _leave_flags_to_the_program()


# Flags of Abseil's logging that are about log files, which it writes only for a program that asks for them. Many
# programs of the time before TensorFlow used Abseil have a flag of this name.
_UNUSED_FLAGS = ("log_dir",)


def _leave_flags_to_the_program() -> None:
    """The program may define these flags itself; TensorFlow 1.15 refused that."""
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

    # A graph may be current in this thread, which says nothing about the program.
    return _in_a_new_thread(tf.executing_eagerly)


def _in_a_new_thread(call: Callable[[], bool]) -> bool:
    found: List[bool] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def _has_run_something() -> bool:
    """Whether TensorFlow has set up its eager runtime, which the first eager op or function does, and no import."""
    import tensorflow as tf

    threads = tf.config.threading
    before = threads.get_inter_op_parallelism_threads()
    try:
        # From then on TensorFlow refuses to change this. A different number, because it accepts the same one silently.
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
    """The globals of the files that are being run, the importing one first; not TensorFlow's, Python's or ours."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not is_internal(path) and not path.startswith(("<frozen importlib", importlib.__file__)):
            yield frame.f_globals
        frame = frame.f_back


def _has_tensorflow_2(names: Dict[str, Any]) -> bool:
    return any(value is sys.modules["tensorflow"] for value in list(names.values()))
