"""The loader with processes: the same batches, whatever is raised, and no trace of anybody who is killed."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time
from multiprocessing import resource_tracker
from typing import Any

import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError
from tests.loader import loads
from tests.loader.sources import Countable, lists, open_files, shared_memory_names, workers_of_loaders

pytestmark = pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="looks for shared memory where Linux has it")

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    before = open_files()
    yield
    assert not workers_of_loaders()
    assert not multiprocessing.active_children()
    gc.collect()  # a failure's traceback holds on to the batch that its loop had
    assert not shared_memory_names()
    assert open_files() == before


@pytest.fixture(autouse=True, scope="session")
def the_tracker_runs() -> None:
    """One process of multiprocessing's own, for the life of the program; it has a file descriptor."""
    resource_tracker.ensure_running()


def loader(source: Any, load: Any, **kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(source, load, **{"batch_size": 4, "num_workers": 2, "workers": "processes", **kinds})


@pytest.mark.parametrize("load", [loads.random_numbers, loads.nested, loads.some, loads.into_its_place])
@pytest.mark.parametrize("source", [range(30), Countable(30)], ids=["sequence", "iterable"])
def test_batches_are_those_of_one_thread(load: Any, source: Any) -> None:
    kinds = dict(shuffle=True, seed=7, num_epochs=2, capacity=20)
    expected = lists(BackgroundLoader(source, load, batch_size=4, num_workers=1, **kinds))
    assert len(expected) > 10
    if load is loads.into_its_place:
        expected = [image for image, _ in expected]
        assert [image for image, _ in lists(loader(source, load, **kinds))] == expected
    else:
        assert lists(loader(source, load, **kinds)) == expected


def test_a_block_keeps_its_processes_from_one_pass_to_the_next() -> None:
    with loader(range(20), loads.same, shuffle=True, seed=1) as inside:
        passes, workers = [], []
        for _ in range(3):
            passes.append(lists(inside))
            workers.append({process.pid for process in multiprocessing.active_children()})
    assert workers[0] == workers[1] == workers[2] != set()
    outside = loader(range(20), loads.same, shuffle=True, seed=1)
    assert passes == [lists(outside) for _ in range(3)]


def test_breaking_out_in_a_block_leaves_workers_that_the_next_pass_can_use() -> None:
    with loader(range(1000), loads.same) as inside:
        for _ in range(5):
            for batch in inside:
                assert batch.tolist() == [0, 1, 2, 3]
                break


def test_an_exception_has_the_workers_traceback_and_the_item() -> None:
    with pytest.raises(LoadError, match=r"QC605 load failed on item 6 \(6\) in epoch 0: ZeroDivisionError") as caught:
        lists(loader(range(12), loads.fails_on_six))
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert "return 12 / (6 - item)" in str(cause.__cause__)
    assert caught.value.item == 6


def test_an_exception_that_cannot_travel_is_told_by_its_text() -> None:
    with pytest.raises(LoadError, match="UnpicklableError: 1 and 2") as caught:
        lists(loader(range(12), loads.fails_strangely))
    assert "raise UnpicklableError(1, 2)" in str(caught.value.__cause__.__cause__)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("load", "says"),
    [
        (loads.ends_of_file, "EOFError: too short"),
        (loads.leaves_at_seven, "SystemExit: enough"),
        (
            loads.another_shape_at_five,
            r"QC607 item 5 \(5\) returned float64\[3,3\], but .*, item 0 \(0\), returned float64\[2,3\]",
        ),
        (loads.several_at_five, "QC608 item 5 .5. returned several examples"),
        (loads.is_killed_at_seven, r"QC612 a worker process was killed by SIGKILL while it was loading item 7 \(7\)"),
        (loads.exits_at_seven, r"QC612 a worker process ended with exit code 3 while it was loading item 7 \(7\)"),
    ],
)
def test_whatever_a_worker_does_is_an_error_that_says_so(load: Any, says: str) -> None:
    with pytest.raises(LoadError, match=says):
        lists(loader(range(12), load))


def test_a_killed_worker_is_told_within_a_second(tmp_path: pathlib.Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with loader([pipe], loads.tells_and_takes_for_ever, num_workers=1) as waiting:
        batches = iter(waiting)
        with open(pipe) as told:
            assert told.read() == "here"
        (process,) = multiprocessing.active_children()
        process.kill()
        since = time.monotonic()
        with pytest.raises(LoadError, match=r"SIGKILL while it was loading item 0 .*pipe"):
            next(batches)
        assert time.monotonic() - since < 1


def test_a_worker_that_would_not_return_is_ended_with_the_loop() -> None:
    waiting = loader(range(1000), loads.takes_for_ever)
    batches = iter(waiting)
    since = time.monotonic()
    waiting.close()
    assert time.monotonic() - since < 5
    assert not multiprocessing.active_children()
    del batches


def test_items_that_fail_are_left_out_and_everything_moves_up() -> None:
    skipping = loader(range(12), loads.skips_some, on_error="skip")
    assert lists(skipping) == [[0, 1, 4, 5], [6, 7, 8, 10], [11]]
    assert {one.index: one.error for one in skipping.skipped} == {n: f"ValueError: no {n}" for n in (2, 3, 9)}


def test_what_cannot_be_pickled_is_refused_with_the_way_out() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"(?s)QC610.*top level of a module"):
        iter(loader(range(12), lambda item: item))


def test_a_batch_that_was_kept_outlives_the_loader() -> None:
    with loader(range(40), loads.random_numbers, seed=1) as closing:
        kept = list(closing)
    expected = lists(BackgroundLoader(range(40), loads.random_numbers, batch_size=4, seed=1))
    assert lists(kept) == expected


def test_too_little_shared_memory_is_an_error_that_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with loader(range(12), loads.random_numbers) as crowded:
        batches = iter(crowded)
        monkeypatch.setattr(os, "posix_fallocate", full)
        with pytest.raises(LoadError, match=r"QC613 cannot allocate 0.0 MB"):
            lists(batches)


@pytest.mark.parametrize("rounds", [int(os.environ.get("QUEUECOMPAT_PROCESS_ROUNDS", "8"))])
def test_many_rounds_leave_nothing(rounds: int) -> None:
    for number in range(rounds):
        with loader(range(48), loads.random_numbers, num_workers=1, seed=number) as opened:
            for batch in opened:
                assert batch.shape == (4, 3)
                if number % 2:
                    break


def run(program: str, tmp_path: pathlib.Path, *, as_file: bool = True) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments, given = ([sys.executable, str(path)], None) if as_file else ([sys.executable, "-"], program)
    return subprocess.run(arguments, input=given, env=environment, capture_output=True, text=True, timeout=60)


PROGRAM = """
import os
from queuecompat import BackgroundLoader
from tests.loader.loads import same
def mine(item):
    return item
def run():
    batches = iter(BackgroundLoader(range(100), {load}, batch_size=4, num_workers=1, workers="processes"))
    print(os.getpid(), next(batches).tolist(), flush=True)
    {end}
{call}
"""


def test_a_program_without_a_guard_is_told_to_have_one(tmp_path: pathlib.Path) -> None:
    done = run(PROGRAM.format(load="mine", end="", call="run()"), tmp_path)
    assert done.returncode == 1
    assert "QC614" in done.stderr
    assert "QC615" in done.stderr
    assert 'if __name__ == "__main__":' in done.stderr


def test_a_function_of_a_program_that_is_no_file_is_not_found(tmp_path: pathlib.Path) -> None:
    done = run(PROGRAM.format(load="mine", end="", call="if __name__ == '__main__': run()"), tmp_path, as_file=False)
    assert done.returncode == 1
    assert "QC611" in done.stderr or "QC615" in done.stderr


@pytest.mark.parametrize("end", ["globals().update(locals())", "import sys; sys.exit(0)", "del batches"])
def test_the_end_of_the_program_is_silent(tmp_path: pathlib.Path, end: str) -> None:
    done = run(PROGRAM.format(load="same", end=end, call="if __name__ == '__main__': run()"), tmp_path)
    pid, _, rest = done.stdout.partition(" ")
    assert (done.returncode, rest, done.stderr) == (0, "[0, 1, 2, 3]\n", "")
    assert not shared_memory_names(int(pid))


def test_a_killed_program_leaves_no_worker_and_no_memory(tmp_path: pathlib.Path) -> None:
    end = "import multiprocessing as m; print(m.active_children()[0].pid, flush=True); os.kill(os.getpid(), 9)"
    done = run(PROGRAM.format(load="same", end=end, call="if __name__ == '__main__': run()"), tmp_path)
    assert done.returncode == -9
    # The pipes that were read to their end here are the workers', too: all have ended.
    pid = int(done.stdout.splitlines()[1])
    assert not shared_memory_names(int(done.stdout.split()[0]))
    assert not os.path.exists(f"/proc/{pid}") or "zombie" in pathlib.Path(f"/proc/{pid}/status").read_text()
