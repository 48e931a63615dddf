"""Pipelines under stress: many pipelines, long ones, tiny and huge queues, many files, odd names, threads, interrupts.

Each kind is a round that takes a seed and a folder, and raises an error if something went wrong. The quick tests run
all kinds with a small ``size``; the campaign runs them with the numbers of ``FULL``.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import signal
import threading
from typing import Any, Callable, Dict, Iterator, List

import numpy as np

import queuecompat
import queuecompat.v1 as tf
from tests.bench.loader.lives import Resources
from tests.campaign import lifecycles
from tests.campaign.ends import ends_of_programs
from tests.campaign.fed_queues import fed_queues
from tests.pipelines.running import started, write_records

__all__ = ["FULL", "QUICK", "STRESSES", "round_of"]

JOIN_SECONDS = 20


def _drained(sess: Any, batch: Any) -> List[Any]:
    """What comes of *batch* to the end of its data, in one list."""
    found: List[Any] = []
    with contextlib.suppress(tf.errors.OutOfRangeError):
        while True:
            found += sess.run(batch).tolist()
    return found


def _many_pipelines(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """So many pipelines of one graph, which end one after the other in one session."""
    with tf.Graph().as_default():
        batches = []
        for number in range(size):
            rows = tf.train.range_input_producer(20 + number, num_epochs=1, shuffle=False).dequeue()
            batches.append(tf.train.batch([rows + 0], chance.randint(1, 7), allow_smaller_final_batch=True))
        with started() as sess:
            order = list(range(size))
            chance.shuffle(order)
            for number in order:
                assert _drained(sess, batches[number]) == list(range(20 + number)), f"pipeline {number}"


def _graphs(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """So many graphs, each with a pipeline and a session, one after the other: nothing grows."""
    memory: List[int] = []
    before = Resources.now()
    for number in range(size):
        with tf.Graph().as_default():
            row = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
            batch = tf.train.batch([row + number], 3)
            with started() as sess:
                assert sess.run(batch).tolist() == [number, number + 1, number + 2]
        if number % max(1, size // 10) == 0:
            memory.append(Resources.now().memory)
    after = Resources.now()
    assert after.threads <= before.threads + 1, f"threads stay: {threading.enumerate()}"
    assert after.descriptors <= before.descriptors + 8, "descriptors stay open"
    grown = (memory[-1] - memory[len(memory) // 2]) / max(1, size // 2)
    assert size < 100 or grown < 30, f"{grown:.0f} KiB stay of each graph"


def _stages(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """A pipeline of so many queues, one after the other."""
    with tf.Graph().as_default():
        value = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        for _ in range(size):
            value = tf.train.batch([value + 1], 1, capacity=chance.choice([1, 2, 32]))[0]
        batch = tf.train.batch([value], 5)
        with started() as sess:
            assert _drained(sess, batch) == list(range(size, size + 10))


def _capacity_of_one(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Queues of one element everywhere, and batches that are larger."""
    path = write_records(folder / "a", [b"%d" % number for number in range(size)])
    for threads in (1, 3):
        with tf.Graph().as_default():
            files = tf.train.string_input_producer([path], num_epochs=1, shuffle=False, capacity=1)
            record = tf.TFRecordReader().read(files)[1]
            one = tf.train.batch([tf.string_to_number(record, tf.int32)], 4, num_threads=threads, capacity=1)
            several = tf.train.batch([one], 3, capacity=1, enqueue_many=True, allow_smaller_final_batch=True)
            shuffled = tf.train.shuffle_batch([several], 2, 2, 1, enqueue_many=True, allow_smaller_final_batch=True)
            with started() as sess:
                found = _drained(sess, shuffled)
        assert sorted(found) == list(range(size // 4 * 4)), f"{len(found)} elements with {threads} threads"


def _large_batches(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Batches of so many elements, of which the last is smaller."""
    with tf.Graph().as_default():
        row = tf.train.range_input_producer(size * 2 + 5, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([tf.cast(row, tf.int64) * 2], size, capacity=10, allow_smaller_final_batch=True)
        with started() as sess:
            sizes = []
            for begin in (0, size, 2 * size):
                found = sess.run(batch)
                sizes.append(len(found))
                assert np.array_equal(found, 2 * np.arange(begin, begin + len(found)))
            assert sizes == [size, size, 5]


def _many_files(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """So many files of one line each, some of them empty."""
    names, want = [], []
    for number in range(size):
        path = folder / f"{number:06d}.txt"
        is_empty = chance.random() < 0.1
        path.write_text("" if is_empty else f"{number}\n")
        want += [] if is_empty else [number]
        names.append(str(path))
    with tf.Graph().as_default():
        line = tf.TextLineReader().read(tf.train.string_input_producer(names, num_epochs=1))[1]
        batch = tf.train.batch([tf.string_to_number(line, tf.int64)], 100, allow_smaller_final_batch=True)
        with started() as sess:
            assert sorted(_drained(sess, batch)) == want


def _names(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Names of files with every byte that a name may have, by all readers; each is read, and named where it fails."""
    every = [byte for byte in range(1, 256) if byte != ord("/")]
    chance.shuffle(every)
    where = os.fsencode(folder)
    names = [os.path.join(where, bytes(every[:200])), os.path.join(where, bytes(every[200:]))]
    for number, name in enumerate(names):
        write_records(name, [b"%d" % number])
    for options in ({}, {"on_error": "skip"}):
        with tf.Graph().as_default(), queuecompat.options(**options):
            queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
            key, record = tf.TFRecordReader().read(queue)
            batch = tf.train.batch([key, record], 2)
            with started() as sess:
                keys, records = sess.run(batch)
        assert records.tolist() == [b"0", b"1"]
        assert [one.rpartition(b":")[0] for one in keys] == names
    with tf.Graph().as_default():
        queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
        batch = tf.train.batch([tf.decode_raw(tf.WholeFileReader().read(queue)[1], tf.uint8)[0]], 2)
        with started() as sess:
            assert len(sess.run(batch)) == 2


class _PlannedError(Exception):
    pass


class _FailingHook(tf.train.SessionRunHook):
    """Raises in the method of that name, the *time*-th time that it is called."""

    def __init__(self, method: str, time: int) -> None:
        self._left = time
        setattr(self, method, self._fail)

    def _fail(self, *_: Any) -> None:
        self._left -= 1
        if self._left <= 0:
            raise _PlannedError


HOOKS = ("begin", "after_create_session", "before_run", "after_run", "end")


def _hooks(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Monitored sessions of which a hook raises: the program sees that error, and no thread stays."""
    before = threading.active_count()
    for number in range(size):
        method = HOOKS[number % len(HOOKS)] if size >= len(HOOKS) else chance.choice(HOOKS)
        hook = _FailingHook(method, chance.randint(1, 3) if method.endswith("run") else 1)
        seen: List[int] = []
        with tf.Graph().as_default():
            row = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
            batch = tf.train.batch([row + 0], 3)
            tf.train.get_or_create_global_step()
            try:
                with tf.train.MonitoredTrainingSession(hooks=[hook]) as sess:
                    while not sess.should_stop():
                        seen += sess.run(batch).tolist()
            except _PlannedError:
                seen.append(-1)
        assert seen[-1:] == [-1] and seen[:-1] == list(range(len(seen) - 1)), f"{method}: {seen}"
    _require_threads(before, "hooks")


def _require_threads(before: int, what: str) -> None:
    """Checks that only the stall watch, one a process, has been added to so many threads."""
    for thread in threading.enumerate():
        if thread.name.startswith("QueueRunnerThread"):
            thread.join(JOIN_SECONDS)
    assert threading.active_count() <= before + 1, f"{what}: threads stay: {threading.enumerate()}"


def _threads(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Threads that start and end sessions at random, each in graphs of its own, and some in one that they share."""
    failures: List[BaseException] = []
    shared = tf.Graph()
    with shared.as_default():
        row = tf.train.range_input_producer(lifecycles.ELEMENTS, num_epochs=1, shuffle=False).dequeue()
        common = tf.train.batch([row + 0], 4)
        # The program's threads all use the graph, so nothing may be added to it from now on.
        init = [tf.global_variables_initializer(), tf.local_variables_initializer()]

    def live(seed: int) -> None:
        own = random.Random(seed)
        try:
            for _ in range(size):
                end, steps = own.choice(lifecycles.ENDS), own.randint(0, 8)
                if own.random() < 0.5:
                    with shared.as_default():
                        delivered = lifecycles.lived(common, end, steps, init)
                else:
                    with tf.Graph().as_default():
                        delivered = lifecycles.lived(lifecycles.PIPELINES["rows"](folder, own), end, steps)
                assert delivered == list(range(len(delivered))), f"{end}: {delivered}"
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=live, args=(chance.random(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """A block in which ``KeyboardInterrupt`` comes after so many seconds, if it takes so long."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    earlier = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def _interrupts(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """Programs that are interrupted at a random time of their loops: none hangs, and no thread stays."""
    before = threading.active_count()
    for _ in range(size):
        delivered: List[int] = []
        with tf.Graph().as_default():
            batch = lifecycles.PIPELINES[chance.choice(["python", "rows"])](folder, chance)
            init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
            with tf.Session() as sess:
                sess.run(init)
                coord = tf.train.Coordinator()
                threads: List[threading.Thread] = []
                try:
                    with _interrupted_after(chance.random() * 0.05):
                        threads += tf.train.start_queue_runners(sess, coord)
                        while True:
                            delivered += sess.run(batch).tolist()
                except (KeyboardInterrupt, tf.errors.OutOfRangeError):
                    pass
                coord.request_stop()
                coord.join(threads, stop_grace_period_secs=JOIN_SECONDS)
        assert delivered == list(range(len(delivered))), delivered
    _require_threads(before, "interrupts")


STRESSES: Dict[str, Callable[[int, random.Random, pathlib.Path], None]] = {
    "capacity of one": _capacity_of_one,
    "ends of programs": ends_of_programs,
    "fed queues": fed_queues,
    "files": _many_files,
    "graphs": _graphs,
    "hooks": _hooks,
    "interrupts": _interrupts,
    "large batches": _large_batches,
    "names of files": _names,
    "pipelines": _many_pipelines,
    "stages": _stages,
    "threads": _threads,
}
QUICK = {
    "capacity of one": 22,
    "ends of programs": 6,
    "fed queues": 6,
    "files": 300,
    "graphs": 5,
    "hooks": 5,
    "interrupts": 5,
    "large batches": 100_000,
    "names of files": 1,
    "pipelines": 6,
    "stages": 5,
    "threads": 2,
}
FULL = {
    **QUICK,
    "capacity of one": 1000,
    "ends of programs": 200,
    "fed queues": 200,
    "files": 10_000,
    "graphs": 1000,
    "hooks": 50,
    "interrupts": 100,
    "pipelines": 64,
    "stages": 40,
    "threads": 10,
}


def round_of(kind: str, seed: int, folder: pathlib.Path, size: int = 0) -> int:
    """One round; raises what went wrong, or returns that it was one."""
    STRESSES[kind](size or FULL[kind], random.Random(seed), folder)
    return 1
