"""However an iteration ends: the workers are gone, nothing is said, nothing is left."""

from __future__ import annotations

import gc
import inspect
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any, Tuple

import pytest

from queuecompat import BackgroundLoader, LoaderClosedError, LoadError
from queuecompat.loader.run import patience
from queuecompat.loader.workers.process_pool import ProcessPool
from queuecompat.loader.workers.thread_pool import ThreadPool
from tests.loader.sources import LONG, open_files, workers_of_loaders

ROOT = pathlib.Path(__file__).parents[2]


def begun(**kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(range(10_000), batch_size=4, **kinds)


def test_leaving_the_loop_ends_the_workers_at_once() -> None:
    for _ in begun():
        assert workers_of_loaders()
        break
    assert not workers_of_loaders()


def test_an_exception_in_the_loop_ends_the_workers() -> None:
    def train() -> None:
        for _ in begun():
            raise KeyError("training")

    with pytest.raises(KeyError):
        train()
    assert not workers_of_loaders()


def test_the_end_of_the_block_ends_the_workers_of_an_iterator_that_is_kept() -> None:
    with begun() as loader:
        batches = iter(loader)
        next(batches)
        assert workers_of_loaders()
    assert not workers_of_loaders()
    with pytest.raises(LoaderClosedError, match="QC602 the iteration was closed"):
        next(batches)


def test_an_iteration_that_another_one_of_its_loader_has_ended_says_so() -> None:
    loader = begun()
    batches = iter(loader)
    next(batches)
    next(iter(loader))
    with pytest.raises(LoaderClosedError, match="QC602 the iteration ended when the next iteration"):
        next(batches)


def test_a_loader_is_not_iterated_by_its_own_load() -> None:
    """Each pass ended the one before and began the next one, without an end, in more and more threads."""

    def load(item: int) -> int:
        return len(list(loader)) if item == 2 else item

    loader = BackgroundLoader(range(4), load, batch_size=1, on_error="skip")
    assert [batch.tolist() for batch in loader] == [[0], [1], [3]]
    assert "QC602 the loader was iterated by one of its own workers" in loader.skipped[0].error
    assert not workers_of_loaders()


def test_an_iterator_in_a_circle_of_references_ends_its_workers_when_it_is_collected() -> None:
    batches = iter(begun())
    next(batches)
    circle = [batches]
    circle.append(circle)  # type: ignore[arg-type]
    del batches, circle
    gc.collect()
    for thread in workers_of_loaders():
        thread.join(LONG)
    assert not workers_of_loaders()


def test_a_second_iteration_ends_the_first() -> None:
    loader = begun()
    first, second = iter(loader), iter(loader)
    next(second)
    with pytest.raises(LoaderClosedError):
        next(first)
    second.close()
    assert not workers_of_loaders()


def test_a_finished_iteration_stays_finished() -> None:
    loader = BackgroundLoader(range(4), batch_size=4)
    batches = iter(loader)
    next(batches)
    loader_is_closed = False
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(batches)
        if not loader_is_closed:
            loader.close()
            loader_is_closed = True


def test_asking_again_after_a_failure_raises_the_same_failure() -> None:
    batches = iter(BackgroundLoader([1, 0], lambda item: 1 / item, batch_size=1))
    next(batches)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="QC605"):
            next(batches)


def test_closing_twice_and_from_several_threads_is_fine() -> None:
    loader = begun()
    batches = iter(loader)
    closers = [threading.Thread(target=loader.close) for _ in range(4)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join(LONG)
    loader.close()
    batches.close()
    assert not workers_of_loaders()


def test_closing_wakes_a_consumer_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ThreadPool, "close_timeout", 0.1)
    is_loading, may_go_on = threading.Event(), threading.Event()

    def load(item: int) -> int:
        is_loading.set()
        may_go_on.wait(LONG)
        return item

    loader = BackgroundLoader(range(10), load, batch_size=2, num_workers=1)
    said: list = []

    def consume() -> None:
        try:
            next(iter(loader))
        except LoaderClosedError as closed:
            said.append(closed)

    consumer = threading.Thread(target=consume)
    consumer.start()
    assert is_loading.wait(LONG)
    with pytest.warns(RuntimeWarning, match="QC616"):
        loader.close()
    consumer.join(LONG)
    assert len(said) == 1
    may_go_on.set()


def test_a_load_that_never_returns_is_abandoned_with_a_warning_that_names_its_item(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ThreadPool, "close_timeout", 0.1)
    is_loading, may_go_on = threading.Event(), threading.Event()

    def load(item: str) -> int:
        is_loading.set()
        may_go_on.wait(LONG)
        return 1

    loader = BackgroundLoader(["stuck.jpg"], load, batch_size=1, num_workers=1)
    batches = iter(loader)
    assert is_loading.wait(LONG)
    with pytest.warns(RuntimeWarning, match=r"QC616 .* item 0 \('stuck.jpg'\)"):
        batches.close()
    may_go_on.set()


@pytest.mark.timeout(120)
def test_the_time_limits_are_those_of_the_guide() -> None:
    assert (patience._WARN_SECONDS, ThreadPool.close_timeout, ProcessPool.kill_timeout) == (60.0, 5.0, 5.0)
    assert inspect.signature(BackgroundLoader).parameters["timeout"].default is None


def test_a_load_that_does_not_return_costs_its_time_limit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit used to be waited for twice, and again by every further close."""
    monkeypatch.setattr(ThreadPool, "close_timeout", 1.0)
    all_are_loading, may_go_on = threading.Barrier(4), threading.Event()

    def load(item: int) -> int:
        all_are_loading.wait(LONG)
        may_go_on.wait(LONG)
        return 1

    loader = BackgroundLoader([1, 2, 3], load, batch_size=1, num_workers=3)
    batches = iter(loader)
    all_are_loading.wait(LONG)
    since = time.monotonic()
    with pytest.warns(RuntimeWarning, match="QC616"):
        batches.close()
    loader.close()
    loader.close()
    assert 0.9 < time.monotonic() - since < 1.9
    may_go_on.set()


@pytest.mark.timeout(120)
def test_a_consumer_waits_no_longer_than_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ThreadPool, "close_timeout", 0.1)
    may_go_on = threading.Event()

    def load(item: str) -> int:
        assert may_go_on.wait(LONG)
        return 1

    loader = BackgroundLoader(["stuck.jpg"], load, batch_size=1, num_workers=1, timeout=0.1)
    says = r"QC632 .* timeout=0.1 s; being loaded: item 0 \('stuck.jpg'\) for 0 s"
    with pytest.warns(RuntimeWarning, match="QC616"), pytest.raises(LoadError, match=says):
        next(iter(loader))
    may_go_on.set()


@pytest.mark.timeout(120)
def test_a_long_wait_is_warned_of_once_with_the_items_being_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_WARN_SECONDS", 0.05)
    told: list = []
    has_told = threading.Event()

    def tell(message: Any, *_: Any) -> None:
        told.append(str(message))
        has_told.set()

    def load(item: str) -> int:
        # The warning itself lets it go on.
        assert has_told.wait(LONG)
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", tell)
        for _ in BackgroundLoader(["slow.jpg"], load, batch_size=1, num_workers=1):
            pass
    (text,) = told
    assert text.startswith("QC633 no batch was ready for 0.05 s; being loaded: item 0 ('slow.jpg') for 0 s")


@pytest.mark.timeout(120)
def test_a_source_that_does_not_return_is_named_in_a_long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ThreadPool, "close_timeout", 0.1)
    may_go_on = threading.Event()

    def source() -> Any:
        assert may_go_on.wait(LONG)
        yield 1

    says = r"QC632 .*being loaded: the source's next item"
    with pytest.warns(RuntimeWarning, match="QC616"), pytest.raises(LoadError, match=says):
        next(iter(BackgroundLoader(source(), batch_size=1, timeout=0.1)))
    may_go_on.set()


def test_two_hundred_rounds_leave_no_thread_and_no_file() -> None:
    before = open_files()
    for number in range(200):
        with BackgroundLoader(range(20), batch_size=4, num_workers=3, shuffle=True) as loader:
            for taken, _ in enumerate(loader):
                if taken == number % 6:
                    break
    assert not workers_of_loaders()
    assert open_files() == before


def test_a_thread_that_cannot_be_started_is_an_error_and_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, []

    def refuse(thread: threading.Thread) -> None:
        if thread.name.startswith("queuecompat") and started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start"):
        iter(begun(num_workers=3))
    assert not workers_of_loaders()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_gets_an_error_because_it_has_no_workers() -> None:
    with begun() as loader:
        batches = iter(loader)
        next(batches)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of forks in programs that have threads
            child = os.fork()
        if not child:
            try:
                next(batches)
            except LoaderClosedError:
                os._exit(0)
            finally:
                os._exit(1)
        # A child that hangs would hold on to everything that this process has open.
        hang = threading.Timer(LONG / 2, os.kill, (child, signal.SIGKILL))
        hang.start()
        ended = os.waitpid(child, 0)[1]
        hang.cancel()
        hang.join()
        assert ended == 0


FORKS = """
import os, sys
from queuecompat import BackgroundLoader, LoaderClosedError
from tests.loader import loads
if __name__ == "__main__":
    with BackgroundLoader(range(1000), loads.same, batch_size=4, num_workers=2, workers={workers!r}) as loader:
        batches = iter(loader)
        next(batches)
        if not os.fork():
            state = dict(version=1)
            for use in (loader.__iter__, loader.__len__, loader.as_dataset, loader.state_dict, loader.statistics,
                        lambda: loader.load_state_dict(state), lambda: loader.skipped, lambda: next(batches)):
                try:
                    use()
                except LoaderClosedError as problem:
                    print(problem.code, flush=True)
            batches.close()
            {leave}
        os.wait()
        print(next(batches).tolist(), flush=True)
"""


@pytest.mark.timeout(120)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("leave", ["sys.exit(0)", "loader.close(); sys.exit(0)", "os._exit(0)"])
def test_every_method_refuses_a_fork_and_a_fork_ends_silently(tmp_path: pathlib.Path, workers: str, leave: str) -> None:
    """Its end used to kill the parent's processes, and to print a traceback."""
    path = tmp_path / "program.py"
    path.write_text(FORKS.format(workers=workers, leave=leave), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == "QC602\n" * 8 + "[4, 5, 6, 7]\n"


PROGRAM = """
import sys, time
from queuecompat import BackgroundLoader
from tests.loader import loads
{before}
if __name__ == "__main__":
    batches = iter(BackgroundLoader(range(10**6), {load}, batch_size=4, num_workers=2, workers={workers!r}))
    {first}
    print("ready", flush=True)
    {after}
"""


def start(tmp_path: pathlib.Path, **parts: str) -> subprocess.Popen[str]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(**{"before": "", "first": "next(batches)", **parts}), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def outputs_of(program: subprocess.Popen[str]) -> Tuple[str, str]:
    """What it says to its end, which has to come."""
    try:
        return program.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        raise


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_an_interrupt_reaches_the_loop_and_workers_print_nothing(tmp_path: pathlib.Path, workers: str) -> None:
    program = start(tmp_path, workers=workers, load="loads.same", after="for _ in batches: time.sleep(0.001)")
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    since = time.monotonic()
    os.killpg(program.pid, signal.SIGINT)  # a terminal sends it to every process of the program
    _, errors = outputs_of(program)
    assert time.monotonic() - since < 5
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_an_interrupt_reaches_a_waiting_consumer(tmp_path: pathlib.Path, workers: str) -> None:
    parts = dict(first="", after="next(batches)")
    load = "loads.takes_for_ever" if workers == "processes" else "loads.takes_a_second"
    program = start(tmp_path, workers=workers, load=load, **parts)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    os.killpg(program.pid, signal.SIGINT)
    _, errors = outputs_of(program)
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("after", ["", "sys.exit(0)", "loader = batches; loader.me = loader; del batches"])
def test_the_end_of_the_program_is_silent(tmp_path: pathlib.Path, after: str) -> None:
    program = start(tmp_path, workers="threads", load="loads.same", after=after)
    assert outputs_of(program) == ("ready\n", "")
    assert program.returncode == 0
