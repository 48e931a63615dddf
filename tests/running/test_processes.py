"""Worker processes of multiprocessing: what they import is what the program imports."""

from __future__ import annotations

import pathlib
import textwrap

from .test_like_python import run

# A module like this one says what tensorflow means in it.
WHICH = "import tensorflow as tf\nNAME = tf.__name__\n"

# Started anew, a worker imports the program again, and whatever the program's functions import later.
PROGRAM = """
    import importlib, multiprocessing, sys
    from concurrent import futures
    sys.path.append(FOLDER)
    import tensorflow as tf

    def names(number):
        import tensorflow.contrib.slim as slim
        import apart, beside, library
        found = [__name__, tf.__name__, slim.__name__, importlib.import_module("tensorflow").__name__]
        return found + [apart.NAME, beside.NAME, library.NAME]

    def native(number):
        with tf.Graph().as_default():
            try:
                tf.train.batch([tf.train.range_input_producer(3).dequeue()], 0)
            except RuntimeError as problem:
                return str(problem)[:5]

    if __name__ == "__main__":
        if "pool" in sys.argv:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(names, [1])[0], pool.apply(native, [1]))
        if "executor" in sys.argv:
            context = multiprocessing.get_context("forkserver")
            with futures.ProcessPoolExecutor(1, mp_context=context) as executor:
                print(executor.submit(names, 1).result(), executor.submit(native, 1).result())
"""


def program(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the program as a script and in a package, its helpers, and a library."""
    folder, apart, installed = tmp_path / "here", tmp_path / "apart", tmp_path / "lib" / "site-packages"
    for one in (folder / "package", apart, installed):
        one.mkdir(parents=True)
    for file in (folder / "beside.py", apart / "apart.py", installed / "library.py"):
        file.write_text(WHICH, encoding="utf-8")
    text = textwrap.dedent(PROGRAM).replace("FOLDER)", f"{str(apart)!r}); sys.path.append({str(installed)!r})")
    for file in (folder / "script.py", folder / "package" / "module.py"):
        file.write_text(text, encoding="utf-8")
    (folder / "package" / "__init__.py").write_text("", encoding="utf-8")
    return folder


# The threads of this session are its own: TensorFlow's destructor waits for each of them, and a fork has none.
FORKING = """
    import gc, os, weakref
    import tensorflow as tf

    batch = tf.train.batch([tf.train.range_input_producer(100).dequeue()], 5)
    sess = tf.Session(config=tf.ConfigProto(use_per_session_threads=True))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(batch)
    if os.fork() == 0:
        sess.close()
        seen = weakref.ref(sess)
        del sess, batch, threads, coord
        gc.collect()
        print("child:", seen() is None, flush=True)
    else:
        print("parent:", os.wait()[1], sess.run(batch).size)
"""

# Without the refusal, each step in the fork waits for threads that stayed in the parent: the alarm ends that.
STEPS_IN_FORKS = """
    import os, signal
    import tensorflow as tf

    batch = tf.train.batch([tf.train.range_input_producer(100).dequeue()], 5)

    def steps():
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            found = sess.run(batch).size
            coord.request_stop()
            coord.join(threads)
        return found

    def in_fork(name, step):
        if os.fork() == 0:
            signal.alarm(60)
            try:
                print(name, step(), flush=True)
            except RuntimeError as problem:
                print(name, str(problem)[:5], f"process {os.getppid()}," in str(problem), flush=True)
            os._exit(0)
        os.wait()

    in_fork("early:", steps)
    sess = tf.Session()
    constant = tf.constant(1)
    sess.run(constant)
    in_fork("old:", lambda: sess.run(constant))
    in_fork("new:", steps)
    print("parent:", steps())
"""

OURS = "queuecompat.v1"
LINE = f"{['__mp_main__', OURS, 'queuecompat.contrib.slim', OURS, OURS, OURS, 'tensorflow']} QC305\n"


def test_newly_started_workers_import_what_the_script_imports(tmp_path: pathlib.Path) -> None:
    # They used to get the real TensorFlow, and failed at the first name of TensorFlow 1.
    done = run(["--strict", "script.py", "pool", "executor"], program(tmp_path), ours=True)
    assert done.stdout == LINE * 2, done.stderr


def test_workers_of_a_module_import_what_the_module_imports(tmp_path: pathlib.Path) -> None:
    done = run(["--strict", "-m", "package.module", "pool"], program(tmp_path), ours=True)
    assert done.stdout == LINE, done.stderr


def test_a_fork_never_closes_nor_collects_the_sessions_of_its_parent(tmp_path: pathlib.Path) -> None:
    # It used to wait, once in some twenty runs, for what a thread of the parent had locked.
    (tmp_path / "script.py").write_text(textwrap.dedent(FORKING), encoding="utf-8")
    done = run(["script.py"], tmp_path, ours=True)
    assert done.stdout == "child: False\nparent: 0 5\n", done.stderr


def test_a_step_in_a_fork_is_refused_once_a_session_has_run(tmp_path: pathlib.Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(STEPS_IN_FORKS), encoding="utf-8")
    done = run(["script.py"], tmp_path, ours=True)
    assert done.stdout == "early: 5\nold: QC311 True\nnew: QC311 True\nparent: 5\n", done.stderr
