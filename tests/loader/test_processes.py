"""The loader with processes: the same batches, whatever is raised, and no trace of anybody who is killed."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time
from multiprocessing import resource_tracker
from typing import Any

import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError
from queuecompat.loader.calls import Call
from queuecompat.loader.memory import segments
from queuecompat.loader.workers import worker_main
from tests.loader import loads
from tests.loader.sources import LONG, Countable, lists, open_files, shared_memory_names, workers_of_loaders

pytestmark = [
    pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="looks for shared memory where Linux has it"),
    pytest.mark.timeout(120),
]

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    before = open_files()
    yield
    assert not workers_of_loaders()
    assert not multiprocessing.active_children()
    gc.collect()  # a failure's traceback holds on to the batch that its loop had
    assert not shared_memory_names()
    assert open_files() <= before  # what was open for another test may have been closed


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
        epoch_run, workers = [], []
        for _ in range(3):
            epoch_run.append(lists(inside))
            workers.append({process.pid for process in multiprocessing.active_children()})
    assert workers[0] == workers[1] == workers[2] != set()
    outside = loader(range(20), loads.same, shuffle=True, seed=1)
    assert epoch_run == [lists(outside) for _ in range(3)]


def test_a_state_that_is_loaded_in_a_block_is_resumed() -> None:
    """The next loop used to wait forever for processes that had been ended."""
    with loader(range(40), loads.same) as inside:
        for batch in inside:
            assert batch.tolist() == [0, 1, 2, 3]
            break
        inside.load_state_dict(inside.state_dict())
        assert lists(inside) == lists(BackgroundLoader(range(4, 40), loads.same, batch_size=4))


def test_a_block_goes_on_after_its_workers_were_killed_between_two_passes() -> None:
    with loader(range(40), loads.same) as inside:
        expected = lists(inside)
        for process in multiprocessing.active_children():
            process.kill()
            process.join()
        assert lists(inside) == expected


def test_a_block_goes_on_after_a_worker_had_to_be_killed_to_leave_the_loop(tmp_path: pathlib.Path) -> None:
    """A process that was killed and is not dead yet must not be taken for one that can go on."""
    flag = tmp_path / "flag"
    os.mkfifo(f"{flag}.here")
    flag.touch()
    with loader([str(flag)] * 4, loads.hangs_while_there_is) as inside:
        batches = iter(inside)
        with open(f"{flag}.here") as told:
            assert told.read() == "here"
        batches.close()
        flag.unlink()
        assert lists(inside) == [[1, 1, 1, 1]]


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


def test_an_exception_that_cannot_be_pickled_is_reported_by_its_text() -> None:
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


@pytest.mark.parametrize("num_workers", [1, 2])
@pytest.mark.parametrize(
    ("load", "lost", "how"),
    [
        (loads.crashes_at_seven, [7], "was killed by SIGSEGV"),
        (loads.exits_at_seven, [7], "ended with exit code 3"),
        (loads.crashes_often, [0, 3, 4, 9], "ended with exit code 1"),
    ],
)
def test_an_item_that_ends_its_worker_is_left_out_and_counted(load: Any, lost: Any, how: str, num_workers: int) -> None:
    skipping = loader(range(40), load, on_error="skip", num_workers=num_workers, num_epochs=2, batch_size=16)
    kept = [item for item in range(40) if item not in lost]
    assert [item for batch in lists(skipping) for item in batch] == 2 * kept
    assert {one.index: one.error for one in skipping.skipped} == {
        item: f"WorkerDiedError: the worker process {how}" for item in lost
    }
    assert skipping.statistics().skipped == 2 * len(lost)


def test_items_that_end_their_workers_count_among_those_that_may_fail() -> None:
    with pytest.raises(LoadError, match=r"QC609 3 different items failed, .*WorkerDiedError: the worker process"):
        lists(loader(range(12), loads.crashes_often, on_error="skip", max_errors=2, num_workers=1))


def test_examples_of_an_item_that_kills_its_worker_are_kept_except_the_last() -> None:
    """Whether its worker has still written that one cannot be known."""
    skipping = loader(range(6), loads.crashes_in_between, on_error="skip", batch_size=3)
    assert [item for batch in lists(skipping) for item in batch] == [0, 1, 10, 11, 20, 21, 40, 41, 50, 51]
    assert [one.index for one in skipping.skipped] == [3]


@pytest.mark.parametrize(
    ("load", "says"),
    [(loads.a_lock_at_five, "TypeError: cannot pickle"), (loads.lost_at_five, "ValueError: cannot be")],
)
def test_a_result_that_cannot_be_pickled_is_a_failure_of_its_item(load: Any, says: str) -> None:
    """Its worker used to end, and to be blamed."""
    with pytest.raises(LoadError, match=f"QC605 load failed on item 5 .5. in epoch 0: {says}"):
        lists(loader(range(12), load, num_workers=1))
    skipping = loader(range(12), load, on_error="skip", batch_size=12)
    (batch,) = skipping
    assert batch["number"].tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]
    assert [one.index for one in skipping.skipped] == [5]


def test_an_error_of_the_parent_is_never_reported_as_the_death_of_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that could not be made used to be "a worker process ended with exit code None"."""

    def no_file(*_: Any) -> None:
        raise OSError(24, "Too many open files")

    with loader(range(12), loads.random_numbers) as crowded:
        batches = iter(crowded)
        monkeypatch.setattr(segments.Segments, "take", no_file)
        with pytest.raises(OSError, match="Too many open files"):
            lists(batches)


def test_a_worker_that_is_killed_while_it_starts_is_an_error_and_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program used to wait forever: it wrote the source into a pipe whose reading end it held itself."""
    spawn = multiprocessing.util.spawnv_passfds

    def spawn_and_kill(*arguments: Any) -> int:
        pid: int = spawn(*arguments)
        if b"resource_tracker" not in b"".join(os.fsencode(argument) for argument in arguments[1]):
            os.kill(pid, signal.SIGKILL)
        return pid

    monkeypatch.setattr(multiprocessing.util, "spawnv_passfds", spawn_and_kill)
    with pytest.raises(LoadError, match="QC615 a worker process was killed by SIGKILL while it was starting") as caught:
        lists(loader(["a long item " * 10] * 100_000, loads.named))
    # Nothing is on standard error then.
    assert "if it was killed, check the memory" in str(caught.value)


def test_a_worker_whose_parent_has_died_during_its_start_ends_silently() -> None:
    ours, theirs = multiprocessing.Pipe()
    ours.close()
    before = signal.getsignal(signal.SIGINT)
    try:
        worker_main.main(theirs, "no segment", 1)
        ours, theirs = multiprocessing.Pipe()
        ours.send_bytes(pickle.dumps(Call(range(4), loads.same)))
        ours.close()
        worker_main.main(theirs, "no segment", 1)  # it used to end with a traceback of BrokenPipeError
    finally:
        signal.signal(signal.SIGINT, before)
        theirs.close()


def test_a_daemonic_process_gets_an_error_because_it_may_not_start_processes() -> None:
    context = multiprocessing.get_context("spawn")
    hears, tells = context.Pipe()
    daemon = context.Process(target=loads.uses_a_loader_in_a_daemon, args=(tells,), daemon=True)
    daemon.start()
    tells.close()
    assert "QC634 workers='processes' was used in a daemonic process" in hears.recv()
    daemon.join()
    daemon.close()
    hears.close()


def test_a_stopped_worker_is_an_error_after_the_time_limit() -> None:
    with loader(range(40), loads.stops_at_seven, num_workers=1, timeout=LONG) as waiting:
        batches = iter(waiting)
        next(batches)
        assert waiting._run is not None
        waiting._run._patience.timeout = 0.2  # not for the start of the process, which may be slow
        with pytest.raises(LoadError, match=r"QC632 no batch was ready within timeout=0.2 s; .*item 7 \(7\) for"):
            lists(batches)


def test_a_killed_worker_is_reported_within_a_second(tmp_path: pathlib.Path) -> None:
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


def test_an_unpicklable_load_is_refused_with_advice() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"(?s)QC610.*top level of a module"):
        iter(loader(range(12), lambda item: item))


def test_a_batch_that_was_kept_outlives_the_loader() -> None:
    with loader(range(40), loads.random_numbers, seed=1) as closing:
        kept = list(closing)
    expected = lists(BackgroundLoader(range(40), loads.random_numbers, batch_size=4, seed=1))
    assert lists(kept) == expected


def test_batches_are_kept_by_the_hundred_with_few_descriptors(tmp_path: pathlib.Path) -> None:
    """Each kept batch used to hold two of them, and a worker that was alive was blamed in the end."""
    program = """
import os, resource
from queuecompat import BackgroundLoader
from tests.loader.loads import random_numbers
if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
    kinds = dict(batch_size={batch_size}, num_workers=1, seed=1, capacity={capacity})
    expected = list(BackgroundLoader(range(800), random_numbers, **kinds))
    kept = list(BackgroundLoader(range(800), random_numbers, workers="processes", **kinds))
    print(len(kept), all((one == two).all() for one, two in zip(kept, expected)))
"""
    for batch_size, capacity in ((2, 6), (1, 200)):
        done = run(program.format(batch_size=batch_size, capacity=capacity), tmp_path)
        assert (done.stdout, done.stderr) == (f"{800 // batch_size} True\n", "")


def test_shared_memory_is_bounded_whatever_the_consumer_keeps() -> None:
    with loader(range(400), loads.random_numbers, capacity=8) as keeping:
        kept = list(keeping)
        assert len(kept) == 100
        assert keeping._pools._kept is not None and keeping._pools._kept._segments is not None
        # Two in the queue, two that are filled or copied, and those that were not copied because they were few.
        assert sum(keeping._pools._kept._segments._blocks.values()) <= 8 // 4 + 2 + 9


def test_a_batch_that_was_kept_keeps_no_other_memory() -> None:
    """Its memory was to come back to a list that held all the free memory of the loader, and stayed with the batch."""
    before = len(open_files())
    with loader(range(400), loads.random_numbers) as closing:
        for batch in closing:
            kept = batch
    del batch
    gc.collect()
    assert kept.shape == (4, 3)
    assert len(open_files()) <= before + 2
    del kept


def test_shared_memory_is_never_for_more_rows_than_there_are() -> None:
    with loader(range(3), loads.random_numbers, batch_size=1000) as few:
        (batch,) = few
        assert batch.shape == (3, 3)
        assert few._pools._kept is not None and few._pools._kept._segments is not None
        assert set(few._pools._kept._segments._blocks) <= {1, 3}


def test_a_name_that_could_not_be_made_is_not_left_with_the_tracker(tmp_path: pathlib.Path) -> None:
    program = """
import os
from queuecompat.loader.memory import segments
real = segments.shared_memory.SharedMemory
def refuse(*_, **__):
    raise OSError(24, "Too many open files")
segments.shared_memory.SharedMemory = refuse
try:
    segments.Segment(size=8)
except OSError as problem:
    print(problem.errno)
"""
    done = run(program, tmp_path)
    assert (done.stdout, done.stderr) == ("24\n", "")


def test_each_epoch_sees_the_source_as_it_is_then_as_threads_do() -> None:
    """Processes that a block kept used to go on with the source of its first loop."""

    def epoch_run(workers: str) -> Any:
        source = [1, 2, 3, 4]
        with BackgroundLoader(source, loads.same, batch_size=4, num_workers=2, workers=workers) as inside:
            yield lists(inside)
            source[0] = 10
            yield lists(inside)
            source += [5, 6]
            yield lists(inside)
            del source[:4]
            yield lists(inside)

    expected = [[[1, 2, 3, 4]], [[10, 2, 3, 4]], [[10, 2, 3, 4], [5, 6]], [[5, 6]]]
    assert list(epoch_run("processes")) == list(epoch_run("threads")) == expected


def test_a_source_that_changes_within_a_pass_is_seen_at_the_next_epoch() -> None:
    source = list(range(4))
    batches = iter(loader(source, loads.same, num_epochs=20, capacity=4))
    seen = [next(batches).tolist()]
    source[:] = range(10, 14)
    seen += lists(batches)
    assert len(seen) == 20
    assert sorted(map(tuple, seen)) == [tuple(batch) for batch in seen]
    assert {tuple(batch) for batch in seen} == {(0, 1, 2, 3), (10, 11, 12, 13)}


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


def test_a_program_without_a_main_guard_is_advised_to_add_one(tmp_path: pathlib.Path) -> None:
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
