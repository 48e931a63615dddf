"""``options(random="by_index")``: what a record is given is a function of the seed, the epoch and the record."""

from __future__ import annotations

import itertools
import pathlib
from typing import Any, Dict, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.tfdata.numbered import one_number
from queuecompat.errors import NativePipelineWarning, RandomWarning
from tests.pipelines.numbered import BUILDS, COUNT, SIZES, Pairs, by_record, packed, write
from tests.pipelines.ordered_files import KINDS
from tests.pipelines.running import drain, drain_built, started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("files")
    write(folder)
    return folder


@pytest.fixture(autouse=True)
def cache(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(folder / "cache"))


def drawn(name: str, folder: pathlib.Path, threads: int = 1, epochs: int = 1, **options: Any) -> Dict[float, Pairs]:
    return by_record(drain_built(lambda: BUILDS[name](folder, threads, epochs), random="by_index", **options))


@pytest.mark.parametrize("name", sorted(BUILDS))
def test_the_numbers_of_a_record_depend_neither_on_threads_nor_on_parts(name: str, folder: pathlib.Path) -> None:
    whole = drawn(name, folder, epochs=2)
    # Two of each record, of different epochs; no two records have the same numbers.
    assert len(whole) == COUNT
    assert len({pair for pairs in whole.values() for pair in pairs}) == 2 * COUNT
    parts = [drawn(name, folder, 4, 2, shard=(number, 2)) for number in range(2)]
    assert sorted(map(len, parts)) == [COUNT // 2, COUNT // 2]
    assert {**parts[0], **parts[1]} == whole


def test_the_numbers_of_a_record_do_not_depend_on_other_options(folder: pathlib.Path) -> None:
    whole = drawn("TFRecord", folder)
    for options in ({"checkpoint": True}, {"shuffle": "global"}, {"on_error": "skip"}):
        assert drawn("TFRecord", folder, threads=2, **options) == whole, options
    seeded = drawn("TFRecord", folder, random_seed=7)
    assert drawn("TFRecord", folder, random_seed=0) == whole
    assert not {pair for pairs in seeded.values() for pair in pairs} & {
        pair for pairs in whole.values() for pair in pairs
    }


WHOLE_FILES = ["read by an op", "readers of whole files", "whole files"]


@pytest.mark.parametrize("name", [*KINDS, "readers of one list", *WHOLE_FILES])
def test_what_is_kept_in_a_cache_has_the_numbers_of_its_records(
    name: str, folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """It used to draw as ever; of the second epoch nothing is read, and of the second program no epoch."""
    whole = drawn(name, folder, epochs=2)
    for threads in (1, 4):
        assert drawn(name, folder, threads, 2, cache=str(tmp_path)) == whole
    assert drawn(name, folder, 2, 2, cache="ram", shuffle="global") == whole


def _side_by_side(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    """Records of one list of files beside rows of an array, and ops that draw for both."""
    names = [str(folder / f"TFRecord-{file}") for file in range(len(SIZES))]
    files = tf.train.string_input_producer(names, num_epochs=epochs, shuffle=False)
    record = tf.to_float(tf.string_to_number(tf.TFRecordReader().read(files)[1]))
    row = tf.train.range_input_producer(COUNT, num_epochs=epochs, shuffle=False).dequeue()
    drawn = [tf.random_uniform([]) + 0 * tf.to_float(row), tf.random_normal([])]
    return tf.train.shuffle_batch([record, *drawn], 4, 12, 6, threads, allow_smaller_final_batch=True)


def test_elements_of_several_producers_have_numbers_of_all_their_parts(folder: pathlib.Path) -> None:
    """They used to draw as ever."""

    def of(threads: int, **options: Any) -> Dict[float, Pairs]:
        return by_record(drain_built(lambda: _side_by_side(folder, threads, 2), random="by_index", **options))

    whole = of(1)
    assert len(whole) == COUNT
    assert len({pair for pairs in whole.values() for pair in pairs}) == 2 * COUNT
    assert of(4, checkpoint=True) == whole
    parts = [of(4, shard=(number, 2)) for number in range(2)]
    assert {**parts[0], **parts[1]} == whole


@pytest.mark.filterwarnings("ignore:QC353")
def test_records_of_compressed_files_follow_from_the_number_of_their_file(folder: pathlib.Path) -> None:
    """They used to draw as ever."""

    def of(threads: int, **options: Any) -> Dict[float, Pairs]:
        return by_record(drain_built(lambda: packed(folder, threads, 2), random="by_index", **options))

    whole = of(1)
    assert len(whole) == COUNT
    assert len({pair for pairs in whole.values() for pair in pairs}) == 2 * COUNT
    for options in ({}, {"checkpoint": True}, {"on_error": "skip"}, {"cache": "ram"}):
        assert of(4, **options) == whole, options


def test_the_number_of_an_element_follows_from_each_part_and_its_place() -> None:
    with real.Graph().as_default(), tf.Session() as session:
        parts = itertools.product([0, 1, 2**40], repeat=2)
        numbers = session.run([one_number([real.constant(part, real.int64) for part in pair]) for pair in parts])
    assert len(set(numbers)) == 9
    assert min(numbers) >= 0


def test_without_the_option_every_run_draws_different_numbers(folder: pathlib.Path) -> None:
    runs = [by_record(drain_built(lambda: BUILDS["rows"](folder, 1, 1))) for _ in range(2)]
    assert runs[0] != runs[1]


def test_a_restored_program_draws_what_the_whole_run_draws(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def run(steps: int, saves: bool) -> List[Any]:
        with real.Graph().as_default():
            with queuecompat.options(random="by_index", checkpoint=True):
                batch = BUILDS["TFRecord"](folder, 2, 2)
            saver = tf.train.Saver()
            with started() as session:
                if not saves:
                    saver.restore(session, str(tmp_path / "model"))
                given = []
                try:
                    for _ in range(steps):
                        given.append(session.run(batch))
                except real.errors.OutOfRangeError:
                    pass
                if saves:
                    saver.save(session, str(tmp_path / "model"))
        return given

    first = run(3, saves=True)
    both = by_record(first + run(100, saves=False))
    assert both == drawn("TFRecord", folder, epochs=2)


def crops(threads: int) -> Any:
    image = np.arange(COUNT * 64, dtype=np.float32).reshape(COUNT, 8, 8, 1)
    row, number = tf.train.slice_input_producer([image, np.arange(COUNT)], num_epochs=1)
    row = tf.image.random_flip_left_right(tf.random_crop(row, [4, 4, 1]))
    return tf.train.batch([tf.image.random_brightness(row, 0.3), number], 1, num_threads=threads)


def test_images_are_cropped_and_turned_alike() -> None:
    one, four = (_images(threads) for threads in (1, 4))
    assert one == four
    assert len(set(one.values())) == COUNT


def _images(threads: int) -> Dict[int, bytes]:
    batches = drain_built(lambda: crops(threads), random="by_index")
    return {int(number[0]): image.tobytes() for image, number in batches}


def test_ops_that_draw_run_alone_at_once_and_the_others_on_batches() -> None:
    with real.Graph().as_default() as graph:
        with queuecompat.options(random="by_index"):
            crops(4)
        text = str(queuecompat.explain(graph))
    draws = next(line for line in text.splitlines() if "random numbers by index" in line)
    assert "(RandomUniform, RandomUniformInt), one by one" in draws
    assert "each record has random numbers of its own" in text


def _seeded(folder: pathlib.Path) -> Any:
    number = tf.train.range_input_producer(8, 1, shuffle=False).dequeue()
    return tf.train.batch([number + tf.random_uniform([], 0, 9, tf.int32, 3)], 2)


def _generated(folder: pathlib.Path) -> Any:
    return tf.train.batch([tf.random_uniform([])], 2)


def _after_a_batch(folder: pathlib.Path) -> Any:
    rows = tf.train.batch([tf.train.range_input_producer(8, 1).dequeue()], 2)
    return tf.train.batch([tf.to_float(rows) + tf.random_uniform([2])], 2)


def _vectors(folder: pathlib.Path) -> Any:
    queue = tf.train.string_input_producer([str(folder / "TFRecord-0")], num_epochs=1)
    records = tf.TFRecordReader().read_up_to(queue, 3)[1]
    numbers = tf.string_to_number(records) + tf.random_uniform([])
    return tf.train.batch([numbers], 2, enqueue_many=True)


def _own_queue(folder: pathlib.Path) -> Any:
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([1.0])]))
    return tf.train.batch([queue.dequeue() + tf.random_uniform([])], 2)


def _gamma(folder: pathlib.Path) -> Any:
    number = tf.to_float(tf.train.range_input_producer(8, 1).dequeue())
    return tf.train.batch([number + tf.random_gamma([], 1.0)], 2)


REFUSED = {
    "a random op has a seed": _seeded,
    "not read from files or arrays": _generated,
    "draw for a whole batch": _after_a_batch,
    "read in vectors": _vectors,
    "the program's own queues": _own_queue,
    "no form whose seed is an input": _gamma,
}


@pytest.mark.parametrize("why", sorted(REFUSED))
def test_where_an_element_is_not_one_record_a_warning_says_why(why: str, folder: pathlib.Path) -> None:
    with real.Graph().as_default(), pytest.warns(RandomWarning, match=f"QC354(.|\n)*{why}"):
        with queuecompat.options(random="by_index"):
            batch = REFUSED[why](folder)
        assert len(drain(batch, 2)) == 2


def test_seeded_ops_keep_their_numbers(folder: pathlib.Path) -> None:
    plain = drain_built(lambda: _seeded(folder))
    with pytest.warns(RandomWarning, match="QC354"):
        chosen = drain_built(lambda: _seeded(folder), random="by_index")
    assert np.array_equal(plain, chosen)


def test_a_seeded_order_stays_and_its_numbers_are_by_record() -> None:
    def build() -> Any:
        number = tf.to_float(tf.train.range_input_producer(12, 2, seed=5).dequeue())
        return tf.train.batch([number, tf.random_uniform([])], 4)

    plain, chosen = drain_built(build), drain_built(build, random="by_index")
    assert [batch[0].tolist() for batch in plain] == [batch[0].tolist() for batch in chosen]
    assert by_record(chosen) == by_record(drain_built(build, random="by_index", checkpoint=True))


def test_native_queues_warn_that_the_option_has_no_effect() -> None:
    def build() -> Any:
        size = tf.placeholder_with_default(2, [])
        number = tf.train.range_input_producer(8, 1).dequeue()
        drawn = tf.to_float(number) + tf.random_uniform([])
        return tf.contrib.training.bucket([drawn], number % 2, size, 2)[1]

    with pytest.warns(NativePipelineWarning), pytest.warns(RandomWarning, match="QC354(.|\n)*TensorFlow's own queues"):
        drain_built(build, random="by_index")
