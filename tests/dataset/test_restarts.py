"""``as_dataset(..., checkpoint=True)``: the state of an iterator is a few numbers, and it is read from there on."""

from __future__ import annotations

import os
import pathlib
import warnings
from typing import Any, List

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import readers, train
from queuecompat._eager import compiled
from queuecompat.errors import RestartWarning
from tests.bench import restore
from tests.dataset import restarting
from tests.dataset.positions import INPUT_FNS, flat
from tests.forking import Ran, Server
from tests.lives import DEADLINE, RESTARTS, assert_each_life_goes_on
from tests.pipelines.running import write_records

tf1 = tf.compat.v1
ROOT = pathlib.Path(__file__).parents[2]
# What a checkpoint is restored with: a dataset whose iterator has begun, so that its key has been drawn.
NAMES = ["in order", "order", "pool", "rows", "seeded order", "seeded pool", "seeded rows"]


@pytest.mark.timeout((DEADLINE + 30) * (RESTARTS + 1))
def test_a_program_that_is_killed_goes_on_with_the_same_batches(tmp_path: pathlib.Path, server: Server) -> None:
    """Datasets in a Checkpoint, and a loader; in sessions there are more pipelines and places."""
    (tmp_path / "data").mkdir()
    (tmp_path / "model").mkdir()
    restarting.write(tmp_path / "data")
    names = [*sorted(restarting.INPUTS), restarting.LOADER]
    ways = {"PYTHONPATH": str(ROOT), "QUEUECOMPAT_INDEX_CACHE": str(tmp_path / "cache")}

    def life(saved: int, lived: int) -> Ran:
        command = [restarting.__file__, str(tmp_path / "model"), str(saved), str(lived), *names]
        return server.run(command, str(tmp_path), environment=ways, deadline=DEADLINE)

    assert_each_life_goes_on(life, names, "checkpoint")


def saved(iterator: Any, folder: pathlib.Path) -> str:
    return str(tf.train.Checkpoint(iterator=iterator).save(str(folder / "position")))


def rest(dataset: tf.data.Dataset, prefix: str, steps: int = 1000) -> List[List[float]]:
    iterator = iter(dataset)
    tf.train.Checkpoint(iterator=iterator).restore(prefix).assert_consumed()
    return [flat(batch) for _, batch in zip(range(steps), iterator)]


@pytest.mark.filterwarnings("ignore:QC353")
@pytest.mark.parametrize("steps", [1, 14])
@pytest.mark.parametrize("name", NAMES)
def test_a_restored_iterator_has_the_same_batches_unseeded_or_not(
    name: str, steps: int, tmp_path: pathlib.Path
) -> None:
    dataset = queuecompat.as_dataset(INPUT_FNS[name], strict=True, checkpoint=True)
    iterator = iter(dataset)
    for _ in range(steps):
        next(iterator)
    prefix = saved(iterator, tmp_path)
    to_come = [flat(batch) for batch in iterator]
    assert to_come
    assert rest(queuecompat.as_dataset(INPUT_FNS[name], strict=True, checkpoint=True), prefix) == to_come


@pytest.mark.filterwarnings("ignore:QC353")
def test_numbers_of_a_seed_are_the_same_where_several_threads_fill_the_queue(tmp_path: pathlib.Path) -> None:
    """Four calls at once took them in whichever order they came."""

    def input_fn() -> Any:
        number = train.range_input_producer(2000, num_epochs=1, shuffle=False).dequeue()
        return train.batch([number, tf.random.uniform([], seed=3)], 50, num_threads=4)

    dataset = queuecompat.as_dataset(input_fn, strict=True, checkpoint=True)
    iterator = iter(dataset)
    next(iterator)
    prefix = saved(iterator, tmp_path)
    to_come = [flat(batch) for batch in iterator]
    assert rest(dataset, prefix) == to_come


@pytest.mark.filterwarnings("ignore:QC353")
@pytest.mark.parametrize("random", [None, "by_index"])
def test_where_elements_are_skipped_they_are_the_same_and_random_numbers_only_by_index(
    random: Any, tmp_path: pathlib.Path
) -> None:
    """As the guide says: it used to promise the same numbers in any case."""
    (tmp_path / "a.csv").write_text("".join("bad\n" if number == 4 else f"{number}\n" for number in range(12)))

    def input_fn() -> List[tf.Tensor]:
        queue = train.string_input_producer([str(tmp_path / "a.csv")], num_epochs=2)
        _, line = readers.TextLineReader().read(queue)
        number = tf.io.decode_csv(line, [tf.constant([], tf.int32)])[0]
        return train.shuffle_batch([number, tf1.random_uniform([])], 2, capacity=6, min_after_dequeue=2)

    def dataset() -> tf.data.Dataset:
        return queuecompat.as_dataset(input_fn, strict=True, checkpoint=True, on_error="skip", random=random)

    iterator = iter(dataset())
    next(iterator)
    prefix = saved(iterator, tmp_path)
    to_come = [(numbers.numpy().tolist(), drawn.numpy().tolist()) for numbers, drawn in iterator]
    restored = iter(dataset())
    tf.train.Checkpoint(iterator=restored).restore(prefix)
    found = [(numbers.numpy().tolist(), drawn.numpy().tolist()) for numbers, drawn in restored]
    assert [numbers for numbers, _ in found] == [numbers for numbers, _ in to_come]
    assert (found == to_come) is (random == "by_index")


def test_an_iterator_that_was_saved_before_its_first_batch_has_seeds_alone_in_common(tmp_path: pathlib.Path) -> None:
    orders = {}
    for name in ("order", "seeded order"):
        iterator = iter(queuecompat.as_dataset(INPUT_FNS[name], strict=True, checkpoint=True))
        prefix = saved(iterator, tmp_path)
        to_come = [flat(batch) for batch in iterator]
        orders[name] = to_come == rest(queuecompat.as_dataset(INPUT_FNS[name], strict=True, checkpoint=True), prefix)
    assert orders == {"order": False, "seeded order": True}


@pytest.mark.parametrize("is_derived", [False, True])
def test_a_checkpoint_from_before_is_restored_without_a_position_and_says_so(
    is_derived: bool, tmp_path: pathlib.Path
) -> None:
    """It used to begin from the beginning without a word."""
    variable = tf.Variable(1.0)
    prefix = tf.train.Checkpoint(variable=variable).save(str(tmp_path / "before"))
    variable.assign(2.0)
    dataset = queuecompat.as_dataset(INPUT_FNS["pool"], strict=True, checkpoint=True)
    iterator = iter(dataset.prefetch(1) if is_derived else dataset)
    checkpoint = tf.train.Checkpoint(variable=variable, parts=[iterator])
    with pytest.warns(RestartWarning, match="QC351 the checkpoint has no position for 'dataset'") as told:
        checkpoint.restore(prefix)
    assert len(told) == 1 and told[0].filename == __file__
    assert variable.numpy() == 1.0
    assert len(list(iterator)) == 36


def test_a_checkpoint_of_tensorflow_1_is_restored_without_a_position(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable("weight", initializer=1.0)
        session.run(variable.initializer)
        prefix = tf1.train.Saver().save(session, str(tmp_path / "model"))
    iterator = iter(queuecompat.as_dataset(INPUT_FNS["pool"], strict=True, checkpoint=True))
    with pytest.warns(RestartWarning, match="QC351"):
        tf.train.Checkpoint(weight=tf.Variable(0.0, name="weight"), iterator=iterator).restore(prefix)


def in_batches_of(size: int) -> tf.Tensor:
    return train.batch([train.range_input_producer(100, shuffle=False).dequeue()], size)


def two_from_pools_of(size: int) -> List[tf.Tensor]:
    """Two consumers of one queue: all of it is made again when a position is restored."""
    number = train.batch([train.range_input_producer(100, shuffle=False).dequeue()], 1)
    return [train.shuffle_batch([number], 2, 4 * size, size, seed=1), train.batch([number], 2)]


@pytest.mark.filterwarnings("ignore:QC353")
@pytest.mark.parametrize("input_fn", [in_batches_of, two_from_pools_of])
def test_a_position_of_a_different_pipeline_is_warned_of(input_fn: Any, tmp_path: pathlib.Path) -> None:
    iterator = iter(queuecompat.as_dataset(input_fn, 4, checkpoint=True))
    next(iterator)
    prefix = saved(iterator, tmp_path)
    with pytest.warns(RestartWarning, match=r"(?s)QC352 .*test_restarts.py:\d+"):
        rest(queuecompat.as_dataset(input_fn, 6, checkpoint=True), prefix, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "QC353")
        rest(queuecompat.as_dataset(input_fn, 4, checkpoint=True), prefix, 1)


@pytest.mark.filterwarnings("ignore:QC353")
@pytest.mark.parametrize("input_fn", [in_batches_of, two_from_pools_of])
def test_a_position_that_does_not_know_its_pipeline_is_taken_as_it_is(
    input_fn: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints were so before the pipeline was in them. QC352 would be an error here."""
    start = compiled._Lowering._start
    with monkeypatch.context() as patched:
        patched.setattr(compiled._Lowering, "_start", lambda self, number: start(self, number)[:3])
        iterator = iter(queuecompat.as_dataset(input_fn, 4, checkpoint=True))
        next(iterator)
        prefix = saved(iterator, tmp_path)
        to_come = [flat(batch) for _, batch in zip(range(30), iterator)]
    assert rest(queuecompat.as_dataset(input_fn, 4, checkpoint=True), prefix, 30) == to_come


def test_an_iterator_without_positions_causes_no_warning(tmp_path: pathlib.Path) -> None:
    """Warnings are errors here; so nothing is said either of what has its position, in all other tests."""
    queuecompat.as_dataset(INPUT_FNS["pool"], checkpoint=True)
    prefix = tf.train.Checkpoint(variable=tf.Variable(1.0)).save(str(tmp_path / "before"))
    iterator = iter(queuecompat.as_dataset(INPUT_FNS["pool"], strict=True))
    tf.train.Checkpoint(variable=tf.Variable(2.0), iterator=iterator).restore(prefix)


def test_random_numbers_without_a_seed_are_those_that_would_have_come(tmp_path: pathlib.Path) -> None:
    def input_fn() -> Any:
        number = tf.cast(train.range_input_producer(50).dequeue(), tf.float32)
        image = tf1.random_crop(tf.reshape(tf.range(144.0), [12, 12, 1]), [8, 8, 1])
        noisy = tf.image.random_flip_left_right(image) + tf1.random_normal([]) + tf1.truncated_normal([8, 8, 1])
        return train.shuffle_batch([noisy + number], 4, 30, 10, num_threads=4)

    iterator = iter(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True))
    first = [flat(next(iterator)) for _ in range(3)]
    prefix = saved(iterator, tmp_path)
    to_come = [flat(next(iterator)) for _ in range(20)]
    assert rest(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True), prefix, 20) == to_come
    assert len({number for batch in first + to_come for number in batch}) > 20 * 4 * 64 // 2


def joined(names: List[str]) -> Any:
    lists = [[readers.TFRecordReader().read(train.string_input_producer(names, num_epochs=2))[1]] for _ in range(2)]
    return train.batch_join(lists, 3)


def joined_with_noise(names: List[str]) -> Any:
    """Ops of both lists alike, some of which run on whole batches; this was an IndexError."""
    queue = train.string_input_producer(names, num_epochs=2)
    values = [readers.TFRecordReader().read(queue)[1] for _ in range(2)]
    return train.batch_join([[tf.strings.length(value) + 1, tf1.random_uniform([]), value] for value in values], 3)


def shared(names: List[str]) -> Any:
    _, value = readers.TFRecordReader().read(train.string_input_producer(names, num_epochs=2))
    return train.batch([value], 3), train.batch([value], 2)


def passed_through_python(names: List[str]) -> Any:
    _, value = readers.TFRecordReader().read(train.string_input_producer(names, num_epochs=2))
    passed = tf1.py_func(lambda content: content, [value], tf.string)
    return train.batch([tf.reshape(passed, [])], 3)


@pytest.mark.filterwarnings("ignore::queuecompat.errors.RestartWarning")
@pytest.mark.parametrize(
    "input_fn, option",
    [
        (joined, {"checkpoint": True}),
        (joined_with_noise, {"checkpoint": True}),
        (shared, {"checkpoint": True}),
        (shared, {"random": "by_index"}),
        (passed_through_python, {"checkpoint": True}),
        (passed_through_python, {"random": "by_index"}),
    ],
)
def test_files_in_an_order_that_no_seed_decides_are_drawn_again_in_it(
    input_fn: Any, option: Any, tmp_path: pathlib.Path
) -> None:
    """Where elements are made again, the files came in an order of their own: some twice, some never."""
    names = [str(tmp_path / f"{number}.tfrecords") for number in range(8)]
    for number, name in enumerate(names):
        write_records(name, [f"{number}:{record}".encode() for record in range(2)])
    dataset = queuecompat.as_dataset(input_fn, names, strict=True, **option)
    iterator = iter(dataset)
    next(iterator)
    prefix = saved(iterator, tmp_path)
    expected = [tf.nest.map_structure(lambda part: part.numpy().tolist(), one) for one in iterator]
    iterator = iter(dataset)
    tf.train.Checkpoint(iterator=iterator).restore(prefix)
    assert [tf.nest.map_structure(lambda part: part.numpy().tolist(), one) for one in iterator] == expected


@pytest.mark.parametrize("option", [{"random": "by_index"}, {"shard": (1, 2)}])
def test_the_rest_of_an_epoch_goes_on_in_its_order_without_a_position(option: Any, tmp_path: pathlib.Path) -> None:
    """Its files, or blocks, were in a new order: some came twice, and others never."""

    def input_fn() -> Any:
        _, value = readers.TFRecordReader().read(train.string_input_producer(names, num_epochs=2))
        return train.batch([value], 6, allow_smaller_final_batch=True)

    names = [str(tmp_path / f"{number}.tfrecords") for number in range(120)]
    for number, name in enumerate(names):
        write_records(name, [f"{number}:{record}".encode() for record in range(3)])
    for count in range(1, 50, 6):
        dataset = queuecompat.as_dataset(input_fn, strict=True, **option)
        iterator = iter(dataset)
        records = [value for _ in range(count) for value in next(iterator).numpy()]
        prefix = saved(iterator, tmp_path)
        iterator = iter(dataset)
        tf.train.Checkpoint(iterator=iterator).restore(prefix)
        records += [value for batch in iterator for value in batch.numpy()]
        assert {records.count(value) for value in records} == {2}


@pytest.mark.parametrize("option", [{}, {"checkpoint": True}])
def test_the_number_of_elements_is_that_of_the_part(option: Any) -> None:
    """It was that of all rows: Keras waited for more, and with a position to keep the end was an error."""

    def numbers() -> Any:
        return train.batch([train.range_input_producer(11, num_epochs=2).dequeue()], 2, allow_smaller_final_batch=True)

    parts = [queuecompat.as_dataset(numbers, shard=(number, 2), **option) for number in range(2)]
    assert [int(part.cardinality()) for part in parts] == [5, 6]
    assert [len(list(part)) for part in parts] == [5, 6]


def test_what_has_an_end_may_draw_numbers_without_a_seed() -> None:
    """It used to be an AssertionError."""

    def input_fn() -> Any:
        number = train.range_input_producer(6, num_epochs=1).dequeue()
        return train.batch([tf.cast(number, tf.float32) + tf1.random_uniform([])], 2)

    assert len(list(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True))) == 3


def test_the_state_does_not_grow_with_the_buffer(tmp_path: pathlib.Path) -> None:
    def input_fn() -> Any:
        return train.shuffle_batch([train.range_input_producer(100).dequeue()], 8, 10_000, 10)

    iterator = iter(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True))
    next(iterator)
    saved(iterator, tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 4000


def test_the_benchmark_of_a_restore_gets_the_batch_that_comes_next(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))
    times = restore.ways(tmp_path, restore.written(tmp_path, 300), position=2000, capacity=200)
    assert set(times) == {"run", "restored", "skipped", "begun"} and min(times.values()) > 0


def test_records_before_the_position_are_not_read_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))
    path = write_records(tmp_path / "records", [b"%04d" % number for number in range(400)])

    def input_fn() -> Any:
        _, value = readers.TFRecordReader().read(train.string_input_producer([path], num_epochs=1))
        return train.shuffle_batch([tf1.string_to_number(value, tf.int32)], 10, 40, 10)

    iterator = iter(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True))
    for _ in range(20):
        next(iterator)
    prefix = saved(iterator, tmp_path)
    to_come = [flat(batch) for batch in iterator]
    status = os.stat(path)
    with open(path, "r+b") as file:  # the index still fits, and the first half can be read no longer
        file.write(b"\xff" * (status.st_size // 3))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert rest(queuecompat.as_dataset(input_fn, strict=True, checkpoint=True), prefix) == to_come
