"""``checkpoint=True`` in sessions: a restored program goes on with the batch after the last one that it drew."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import RestartWarning
from tests.forking import Ran, Server
from tests.lives import DEADLINE, RESTARTS, assert_each_life_goes_on
from tests.pipelines import restarting
from tests.pipelines.running import started

ROOT = pathlib.Path(__file__).parents[2]
LOOPS = ("monitored", "saver", "supervisor")


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))


@pytest.mark.timeout((DEADLINE + 30) * (RESTARTS + 1))
@pytest.mark.parametrize("loop", LOOPS)
def test_a_program_that_is_killed_goes_on_with_the_same_batches(
    loop: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """With one restart, each loop has some of the pipelines."""
    (tmp_path / "data").mkdir()
    (tmp_path / "model").mkdir()
    restarting.write(tmp_path / "data")
    names = sorted(restarting.BUILDS)
    names = names if RESTARTS > 1 else names[LOOPS.index(loop) :: len(LOOPS)]
    ways = {"PYTHONPATH": str(ROOT), "QUEUECOMPAT_INDEX_CACHE": str(tmp_path / "cache")}

    def life(saved: int, lived: int) -> Ran:
        command = [restarting.__file__, loop, str(tmp_path / "model"), str(saved), str(lived), *names]
        return server.run(command, str(tmp_path), environment=ways, deadline=DEADLINE)

    assert_each_life_goes_on(life, names, loop)


class Program:
    """One run of a program with one pipeline, in a graph and a session of its own."""

    def __init__(self, build: Callable[[], Any], **options: Any) -> None:
        self.graph = real.Graph()
        with self.graph.as_default():
            self.variable = tf.get_variable("weight", initializer=1.0)
            with queuecompat.options(**{"checkpoint": True, **options}):
                self.batch = build()
            self.saver = tf.train.Saver()

    def run(
        self, steps: int, *, restores: Optional[str] = None, late: bool = False, saves: str = "", at: int = -1
    ) -> List[Any]:
        """The batches of that many steps; saved before the one *at*, restored before the start or after a step."""
        given = []
        with self.graph.as_default(), tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            if restores and not late:
                self.saver.restore(session, restores)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            if late:
                session.run(self.batch)
                self.saver.restore(session, restores)
            for step in range(steps):
                if step == at:
                    self.saver.save(session, saves)
                try:
                    given.append(session.run(self.batch))
                except tf.errors.OutOfRangeError:
                    break
            coordinator.request_stop()
            coordinator.join(threads)
        return given


def numbers(count: int = 60, batch_size: int = 7, **producer: Any) -> Any:
    number = tf.train.range_input_producer(count, **{"num_epochs": 3, **producer}).dequeue()
    return tf.train.shuffle_batch([number], batch_size, capacity=40, min_after_dequeue=10)


def same(left: List[Any], right: List[Any]) -> bool:
    return len(left) == len(right) and all(map(np.array_equal, left, right))


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("at", [0, 1, 12, 25])
def test_it_goes_on_in_the_midst_of_an_epoch_and_of_a_window(at: int, late: bool, tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    whole = Program(numbers).run(100, saves=saved, at=at)
    assert len(whole) == 180 // 7
    assert same(Program(numbers).run(100, restores=saved, late=late), whole[at:])


def test_the_state_is_a_few_numbers_whatever_the_capacity(tmp_path: pathlib.Path) -> None:
    def build() -> Any:
        number = tf.train.range_input_producer(1000).dequeue()
        return tf.train.shuffle_batch([number], 8, capacity=100_000, min_after_dequeue=10)

    saved = str(tmp_path / "model")
    Program(build).run(3, saves=saved, at=2)
    kept = tf.train.load_checkpoint(saved)
    assert kept.get_tensor("shuffle_batch/queuecompat_position").shape == (4,)
    assert kept.get_tensor("shuffle_batch/queuecompat_position")[-1] == 2
    assert sum(path.stat().st_size for path in tmp_path.glob("model.[id]*")) < 4000


def test_what_was_not_asked_for_is_not_in_a_checkpoint(tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    Program(numbers, checkpoint=False).run(3, saves=saved, at=2)
    assert list(tf.train.load_checkpoint(saved).get_variable_to_shape_map()) == ["weight"]


def test_a_checkpoint_from_before_is_restored_without_a_position(tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    Program(numbers, checkpoint=False).run(3, saves=saved, at=2)
    with pytest.warns(RestartWarning, match="QC351 the checkpoint has no position for 'shuffle_batch'"):
        given = Program(numbers).run(100, restores=saved)
    assert len(given) == 180 // 7


def test_a_variable_that_is_missing_as_well_is_the_error_that_it_was(tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    Program(numbers, checkpoint=False).run(3, saves=saved, at=2)

    def build() -> Any:
        tf.get_variable("more", initializer=1.0)
        return numbers()

    with pytest.raises(tf.errors.NotFoundError, match="more"):
        Program(build).run(1, restores=saved)


def test_another_pipeline_under_the_same_name_is_recognised(tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    Program(numbers).run(3, saves=saved, at=2)
    with pytest.warns(RestartWarning, match="QC352"):
        Program(lambda: numbers(batch_size=5)).run(1, restores=saved)


def test_the_same_pipeline_is_restored_without_a_warning(tmp_path: pathlib.Path) -> None:
    saved = str(tmp_path / "model")
    Program(numbers).run(3, saves=saved, at=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Program(numbers).run(1, restores=saved)


def test_each_of_two_inputs_that_take_turns_keeps_its_position(tmp_path: pathlib.Path) -> None:
    def build() -> Any:
        return [numbers(), tf.train.batch([tf.train.range_input_producer(50, shuffle=False).dequeue()], 4)]

    def run(program: Program, steps: int, restores: str = "") -> Dict[str, List[Any]]:
        given: Dict[str, List[Any]] = {"train": [], "test": []}
        with program.graph.as_default(), started(program.graph) as session:
            if restores:
                program.saver.restore(session, restores)
            for step in range(steps):
                if step == 5 and not restores:
                    program.saver.save(session, str(tmp_path / "model"))
                for name, batch in zip(given, program.batch):
                    given[name] += [session.run(batch) for _ in range(2 if name == "train" else 1)]
        return given

    whole = run(Program(build), 9)
    rest = run(Program(build), 4, str(tmp_path / "model"))
    assert same(rest["train"], whole["train"][10:])
    assert same(rest["test"], whole["test"][5:])


def test_a_condition_between_two_batches_goes_on_with_both(tmp_path: pathlib.Path) -> None:
    """Both are drawn in every step, as in TensorFlow 1."""

    def run(steps: int, restores: bool = False) -> List[Any]:
        with real.Graph().as_default():
            with queuecompat.options(checkpoint=True):
                train = numbers(num_epochs=None)
                test = tf.train.batch([tf.train.range_input_producer(50, shuffle=False).dequeue()], 7)
                is_training = tf.placeholder(tf.bool, [])
                batch = tf.cond(is_training, lambda: train, lambda: test)
            saver = tf.train.Saver()
            with started() as session:
                if restores:
                    saver.restore(session, str(tmp_path / "model"))
                given = []
                for step in range(steps):
                    if step == 6 and not restores:
                        saver.save(session, str(tmp_path / "model"))
                    given.append(session.run(batch, {is_training: step % 3 > 0}))
        return given

    whole = run(15)
    assert same(run(9, restores=True), whole[6:])


def test_each_session_of_a_graph_has_a_position_of_its_own(tmp_path: pathlib.Path) -> None:
    program = Program(numbers)
    with program.graph.as_default(), started(program.graph) as first, started(program.graph) as second:
        for session, steps in ((first, 2), (second, 9)):
            for _ in range(steps):
                session.run(program.batch)
            program.saver.save(session, str(tmp_path / f"after-{steps}"))
        rest = {steps: [one.run(program.batch) for _ in range(8)] for one, steps in ((first, 2), (second, 9))}
    for steps, batches in rest.items():
        assert same(Program(numbers).run(8, restores=str(tmp_path / f"after-{steps}")), batches), steps


@pytest.mark.filterwarnings("ignore:QC35[12]")
def test_training_goes_on_after_each_evaluation_of_its_checkpoint(tmp_path: pathlib.Path) -> None:
    """As an Estimator does it: each phase has a graph and a session of its own, and the same checkpoints."""

    def trained(steps: int, folder: pathlib.Path) -> List[Any]:
        given = []
        with real.Graph().as_default():
            done = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            with queuecompat.options(checkpoint=True):
                number = tf.train.range_input_producer(60, seed=3).dequeue()
                batch = tf.train.shuffle_batch([number], 7, capacity=40, min_after_dequeue=10, seed=5)
            hooks = [tf.train.StopAtStepHook(num_steps=steps)]
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(folder), hooks=hooks) as session:
                while not session.should_stop():
                    given.append(session.run([batch, done])[0])
        return given

    def evaluated(folder: pathlib.Path) -> List[int]:
        with real.Graph().as_default():
            tf.train.get_or_create_global_step()
            with queuecompat.options(checkpoint=True):
                batch = tf.train.batch([tf.train.range_input_producer(12, 1, shuffle=False).dequeue()], 3)
            creator = tf.train.ChiefSessionCreator(checkpoint_dir=str(folder))
            given: List[int] = []
            with tf.train.MonitoredSession(creator) as session:
                while not session.should_stop():
                    given += session.run(batch).tolist()
        return given

    parts = []
    for steps in (5, 4):
        parts += trained(steps, tmp_path / "parts")
        assert evaluated(tmp_path / "parts") == list(range(12))
    assert same(parts, trained(9, tmp_path / "whole"))


def test_what_other_consumers_share_begins_again_and_says_so() -> None:
    def build() -> Any:
        number = tf.train.range_input_producer(50).dequeue()
        return [tf.train.batch([number], 4), tf.train.batch([number + 1], 4)]

    with pytest.warns(RestartWarning, match="QC350 the position of '.*' cannot be restored"):
        Program(build).run(1)


QUEUES: Dict[str, Callable[[], Any]] = {
    "of a batcher": lambda: tf.train.batch([numbered()], tf.placeholder_with_default(4, [])),
    "by hand": lambda: filled_by_hand(tf.FIFOQueue(32, [tf.int32], [[]])).dequeue_many(4),
    "that a native runner fills": lambda: tf.train.batch([tf.reshape(doubled(numbered()), [])], 4),
}


def numbered() -> Any:
    return tf.train.range_input_producer(500, shuffle=False).dequeue()


def doubled(number: Any) -> Any:
    queue = tf.FIFOQueue(32, [tf.int32], [[]])
    enqueue = queue.enqueue(tf.py_func(lambda one: np.int32(one * 2), [number], tf.int32))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue()


def filled_by_hand(queue: Any) -> Any:
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(numbered())]))
    return queue


@pytest.mark.parametrize("queue", QUEUES)
def test_what_lies_in_a_queue_is_not_lost_since_its_pipeline_begins_again(queue: str, tmp_path: pathlib.Path) -> None:
    """The elements that were in the queue were left out after a restart, without a word."""
    saved, options = str(tmp_path / "model"), queuecompat.options(checkpoint=True)
    with options, pytest.warns(RestartWarning, match="QC350"):
        first = Program(QUEUES[queue]).run(3, saves=saved, at=2)
        assert same(Program(QUEUES[queue]).run(3, restores=saved), first)


@pytest.mark.parametrize("at", [0, 6])
def test_what_is_chosen_element_by_element_is_made_again_and_says_so(at: int, tmp_path: pathlib.Path) -> None:
    def build() -> Any:
        number = tf.train.range_input_producer(90, seed=3, num_epochs=2).dequeue()
        return tf.train.maybe_shuffle_batch([number], 5, 40, 10, tf.equal(number % 3, 0))

    saved = str(tmp_path / "model")
    with pytest.warns(RestartWarning, match="QC353(.|\n)*keep_input"):
        whole = Program(build).run(100, saves=saved, at=at)
        assert same(Program(build).run(100, restores=saved), whole[at:])
    assert len(whole) == 12


def test_explain_says_how_it_goes_on() -> None:
    program = Program(numbers)
    with program.graph.as_default():
        assert "  restart at its position\n" in str(queuecompat.explain())
