"""``cache="ram"`` or a folder: what is made of a file is made once, and no bit of any element changes."""

from __future__ import annotations

import gc
import os
import pathlib
import warnings
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat._plan import cache_store
from queuecompat.errors import CacheWarning
from tests.pipelines.kept_elements import EPOCHS, FEATURES, example, images, outcome, parsed, record, records
from tests.pipelines.running import started, write_records


def pixels(features: Any) -> Any:
    raw = tf.decode_raw(features["pixels"], tf.uint8)
    raw.set_shape([4])
    return raw


def noisy(files: List[str]) -> Any:
    features = parsed(files)
    image = tf.cast(pixels(features), tf.float32) / 255.0 + tf.random_uniform([4], seed=1)
    return tf.train.batch([image, features["x"]], 7, allow_smaller_final_batch=True)


def steady(files: List[str]) -> Any:
    features = parsed(files)
    return tf.train.batch([tf.cast(pixels(features), tf.float32) / 255.0], 7, allow_smaller_final_batch=True)


def sometimes(files: List[str]) -> Any:
    """Each record chooses its branches; only one branch of the second condition has a random op."""
    features = parsed(files)
    image = tf.cast(pixels(features), tf.float32)
    image = tf.cond(features["x"] % 2 > 0, lambda: image * 2, lambda: image - 1)
    image = tf.cond(features["x"] > 5, lambda: image + tf.random_uniform([4], seed=1), lambda: image)
    return tf.train.batch([image, features["x"]], 7, allow_smaller_final_batch=True)


def switched(files: List[str]) -> Any:
    features = parsed(files)
    image = tf.cast(pixels(features), tf.float32)

    def checked_image() -> Any:
        with tf.control_dependencies([tf.Assert(features["x"] >= 0, [features["x"]])]):
            return image * 2

    tf2.compat.v1.enable_control_flow_v2()  # one op with a list of functions, stateful as one of them is
    image = tf2.switch_case(tf.cast(features["x"] % 3, tf.int32), [lambda: image, checked_image, lambda: image - 1])
    tf2.compat.v1.disable_control_flow_v2()
    image.set_shape([4])
    return tf.train.batch([image + tf.random_uniform([4], seed=1), features["x"]], 7, allow_smaller_final_batch=True)


def loops(files: List[str]) -> Any:
    features = parsed(files)
    steady_loop = tf.map_fn(lambda one: one * 3, tf.cast(pixels(features), tf.float32))
    # One iteration after the other: in parallel they draw in any order, in TensorFlow 1 as well.
    random_loop = tf.map_fn(lambda one: one + tf.random_uniform([], seed=2), steady_loop, parallel_iterations=1)
    random_loop.set_shape([4])
    return tf.train.batch([random_loop, features["x"]], 7, allow_smaller_final_batch=True)


def checked(files: List[str]) -> Any:
    features = parsed(files)
    with tf.control_dependencies([tf.Assert(features["x"] >= 0, [features["x"]])]):
        image = tf.cast(pixels(features), tf.float32) + tf.random_uniform([4], seed=1)
    return tf.train.batch([image], 7)


def sparse(files: List[str]) -> Any:
    features = tf.parse_single_example(record(files), {"words": tf.VarLenFeature(tf.int64)})
    words = tf.sparse_tensor_to_dense(features["words"]) + tf.random_uniform([], 0, 9, tf.int64, seed=3)
    return tf.train.batch([words, features["words"].dense_shape], 6, dynamic_pad=True)


def whole_files(files: List[str]) -> Any:
    name, content = tf.WholeFileReader().read(tf.train.string_input_producer(files, num_epochs=EPOCHS, seed=5))
    image = tf.image.resize_images(tf.image.decode_png(content, channels=3), [4, 4])
    return tf.train.batch([image + tf.random_uniform([4, 4, 3], seed=1), name], 5, allow_smaller_final_batch=True)


def rows(files: List[str]) -> Any:
    labels = list(range(len(files)))
    name, label = tf.train.slice_input_producer([files, labels], num_epochs=EPOCHS, seed=5)
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    return tf.train.batch([tf.random_crop(image, [3, 3, 3], seed=2), label], 5, allow_smaller_final_batch=True)


def made_names(files: List[str]) -> Any:
    folder = os.path.dirname(files[0]) + "/"
    short = [os.path.basename(name) for name in files]
    name = tf.train.string_input_producer(short, num_epochs=EPOCHS, seed=5).dequeue()
    image = tf.image.decode_png(tf.read_file(tf.string_join([folder, name])), channels=3)
    image = tf.image.resize_images(image, [4, 4]) + tf.random_uniform([4, 4, 3], seed=1)
    return tf.train.batch([image, name], 5, allow_smaller_final_batch=True)


OF_RECORDS = [noisy, steady, sometimes, switched, loops, checked, sparse]
OF_IMAGES = [whole_files, rows, made_names]
CHOSEN = [{"cache": "ram"}, {"cache": "folder"}, {"cache": "ram", "cache_bytes": 200}]


def same(ours: List[Any], theirs: List[Any]) -> bool:
    return len(ours) == len(theirs) and all(
        np.array_equal(one, other) for a, b in zip(ours, theirs) for one, other in zip(as_list(a), as_list(b))
    )


def as_list(batch: Any) -> List[Any]:
    return list(batch) if isinstance(batch, (list, tuple)) else [batch]


@pytest.fixture
def calls(monkeypatch: Any) -> List[Tuple[str, int]]:
    """("found", blocks) for every file, and ("keep", number) for every block that was made."""
    seen: List[Tuple[str, int]] = []
    found, keep = cache_store.Store.look_up, cache_store.Store.keep

    def noted_found(self: Any, names: Any) -> Any:
        result = found(self, names)
        seen.extend(("found", blocks) for blocks in result[1])
        return result

    def noted_keep(self: Any, identity: Any, number: int, block: Any) -> None:
        seen.append(("keep", number))
        keep(self, identity, number, block)

    monkeypatch.setattr(cache_store.Store, "look_up", noted_found)
    monkeypatch.setattr(cache_store.Store, "keep", noted_keep)
    return seen


@pytest.mark.parametrize("chosen", CHOSEN, ids=["ram", "folder", "no room"])
@pytest.mark.parametrize("build", OF_RECORDS + OF_IMAGES)
def test_seeded_values_are_the_same_with_and_without_a_cache(
    build: Callable[..., Any], chosen: Any, tmp_path: pathlib.Path, calls: List[Any]
) -> None:
    files = (records if build in OF_RECORDS else images)(tmp_path)
    chosen = {**chosen, "cache": str(tmp_path / "cache")} if chosen["cache"] == "folder" else chosen
    plain = outcome(build, files)
    assert not calls
    assert len(plain) > 3
    assert same(outcome(build, files, **chosen), plain)
    assert calls


def test_what_calls_one_of_many_functions_is_kept_as_well(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram"):
        switched(records(tmp_path))
        lines = str(queuecompat.explain(graph)).splitlines()
    assert [line.split()[0] for line in lines if "Case" in line] == ["once"]  # once a file


def test_a_file_is_read_and_parsed_once_and_not_in_every_epoch(tmp_path: pathlib.Path, calls: List[Any]) -> None:
    outcome(noisy, records(tmp_path), cache="ram")
    counts = [blocks for what, blocks in calls if what == "found"]
    assert counts == [-1] * 3 + [1] * 3 * (EPOCHS - 1)
    assert sum(what == "keep" for what, _ in calls) == 3 * 2  # a block each, and the end


def test_of_a_group_of_images_only_those_that_are_not_kept_are_made(tmp_path: pathlib.Path, calls: List[Any]) -> None:
    def many_epochs(files: List[str]) -> Any:
        name, label = tf.train.slice_input_producer([files, list(range(7))], num_epochs=30, seed=5)
        image = tf.image.decode_png(tf.read_file(name), channels=3)
        return tf.train.batch([tf.random_crop(image, [3, 3, 3], seed=2), label], 7)

    files = images(tmp_path)
    kept_now = outcome(many_epochs, files, cache="ram", cache_bytes=500)
    counts = [blocks for what, blocks in calls if what == "found"]
    later = counts[64:]  # of 32 at a time, nothing is kept of the first ones
    assert 0 < sum(blocks == 1 for blocks in later) < len(later)
    assert same(kept_now, outcome(many_epochs, files))


def test_a_folder_serves_the_next_run_from_its_first_epoch_on(tmp_path: pathlib.Path, calls: List[Any]) -> None:
    files, folder = records(tmp_path), str(tmp_path / "cache")
    first = outcome(noisy, files, cache=folder)
    calls.clear()
    assert same(outcome(noisy, files, cache=folder), first)
    assert {blocks for _, blocks in calls} == {1}


def test_a_folder_may_be_a_path_object(tmp_path: pathlib.Path) -> None:
    """It was refused (QC531)."""
    files, folder = records(tmp_path), tmp_path / "cache"
    assert same(outcome(noisy, files, cache=folder), outcome(noisy, files))
    assert list(folder.iterdir())


def test_a_file_that_changed_is_read_again(tmp_path: pathlib.Path) -> None:
    files, folder = records(tmp_path, 1), str(tmp_path / "cache")
    outcome(noisy, files, cache=folder)
    before = os.stat(files[0])
    write_records(files[0], [example(number + 30) for number in range(10)])
    os.utime(files[0], ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert os.path.getsize(files[0]) == before.st_size
    numbers = [value for _, values in outcome(noisy, files, cache=folder) for value in values.tolist()]
    assert sorted(set(numbers)) == list(range(30, 40))


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    files, folder = records(tmp_path, 1), str(tmp_path / "cache")
    keep = cache_store.Store.keep

    def touching(self: Any, identity: Any, number: int, block: Any) -> None:
        os.utime(files[0], ns=(0, os.stat(files[0]).st_mtime_ns + 1000))
        keep(self, identity, number, block)

    monkeypatch.setattr(cache_store.Store, "keep", touching)
    outcome(noisy, files, cache=folder)
    monkeypatch.undo()
    assert not [name for _, _, names in os.walk(folder) for name in names]


def test_an_interrupted_first_epoch_caches_only_complete_files(tmp_path: pathlib.Path) -> None:
    files, folder = records(tmp_path, 3, 40), str(tmp_path / "cache")
    plain = outcome(noisy, files)
    outcome(noisy, files, steps=6, cache=folder)  # some of it was read ahead, and some was not
    assert same(outcome(noisy, files, cache=folder), plain)


def test_other_ops_have_other_entries_in_a_folder(tmp_path: pathlib.Path) -> None:
    def times(files: List[str], factor: int) -> Any:
        features = parsed(files)
        number = features["x"] * factor
        return tf.train.batch([number + tf.random_uniform([], 0, 1, tf.int64, seed=1)], 10)

    files, folder = records(tmp_path), str(tmp_path / "cache")
    for factor in (2, 3):
        assert same(outcome(times, files, factor, cache=folder), outcome(times, files, factor))


def damaged(folder: str, change: Callable[[bytes], bytes]) -> None:
    gc.collect()  # a program that still ran would know its files, and they do not change under it
    for parent, _, names in os.walk(folder):
        for name in names:
            path = pathlib.Path(parent) / name
            path.write_bytes(change(path.read_bytes()))


def test_a_block_whose_checksum_is_wrong_is_an_error_and_made_again_by_the_next_run(tmp_path: pathlib.Path) -> None:
    files, folder = records(tmp_path, 1), str(tmp_path / "cache")
    plain = outcome(noisy, files, cache=folder)
    damaged(folder, lambda content: bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(tf2.errors.OpError, match=r"QC342 the cache file .* is damaged: its checksum is wrong"):
        outcome(noisy, files, cache=folder)
    assert same(outcome(noisy, files, cache=folder), plain)


@pytest.mark.parametrize("change", [lambda one: one[:-7], lambda one: one[:9], lambda one: b"", lambda one: b"x" * 99])
def test_a_cache_file_that_was_cut_is_made_again(change: Any, tmp_path: pathlib.Path) -> None:
    files, folder = records(tmp_path, 2), str(tmp_path / "cache")
    plain = outcome(noisy, files, cache=folder)
    damaged(folder, change)
    assert same(outcome(noisy, files, cache=folder), plain)


def test_shuffled_elements_come_out_of_the_cache_each_once_an_epoch(tmp_path: pathlib.Path, calls: List[Any]) -> None:
    def shuffled(files: List[str]) -> Any:
        readers = [tf.TFRecordReader() for _ in range(2)]
        queue = tf.train.string_input_producer(files, num_epochs=EPOCHS)
        features = [tf.parse_single_example(one.read(queue)[1], FEATURES) for one in readers]
        lists = [[tf.image.random_brightness(tf.cast(pixels(one), tf.float32), 1.0), one["x"]] for one in features]
        return tf.train.shuffle_batch_join(lists, 5, 40, 10, allow_smaller_final_batch=True)

    found = [value for _, values in outcome(shuffled, records(tmp_path), cache="ram") for value in values.tolist()]
    assert sorted(found) == sorted(list(range(30)) * EPOCHS)
    assert any(blocks > 0 for what, blocks in calls if what == "found")


@pytest.mark.parametrize("capacity", [12, 400])
@pytest.mark.parametrize("chosen", [{"shard": (1, 3)}, {"shuffle": "global"}])
def test_parts_and_a_global_order_are_kept_block_by_block(chosen: Any, capacity: int, tmp_path: pathlib.Path) -> None:
    """From a capacity of 64 on, where several blocks are read at once, it was an InvalidArgumentError."""

    def shuffled(files: List[str]) -> Any:
        record = tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=EPOCHS))[1]
        features = tf.parse_single_example(record, FEATURES)
        values = [pixels(features), features["x"]]
        return tf.train.shuffle_batch(values, 5, capacity, 4, allow_smaller_final_batch=True)

    files = records(tmp_path)
    runs = outcome(shuffled, files, cache="ram", **chosen), outcome(shuffled, files, **chosen)
    found, plain = (sorted(value for _, values in batches for value in values.tolist()) for batches in runs)
    assert found == plain
    assert len(found) in (30, 90)


def test_no_more_is_kept_than_the_budget_and_the_rest_is_made_in_every_epoch(tmp_path: pathlib.Path) -> None:
    files = records(tmp_path, 4)
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram", cache_bytes=250):
        batch = noisy(files)  # a file of 10 records is 120 bytes
        with started(graph) as sess:
            for _ in range(17):
                sess.run(batch)
            text = str(queuecompat.explain(graph))
    assert "cache   at most 250 bytes, 240 bytes of 2 files kept now; no room for 2" in text


def test_casts_that_make_more_bytes_stay_after_the_cache(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram"):
        noisy(records(tmp_path))
        text = str(queuecompat.explain(graph))
    assert "in memory, file by file -> int64[], uint8[4]" in text
    assert "half of what is free, nothing kept yet" in text or "at most" in text


def random_from_the_start(files: List[str]) -> Any:
    name = tf.train.string_input_producer(files).dequeue()
    return tf.train.batch([tf.random_uniform([2]) + tf.cast(tf.string_to_hash_bucket(name, 9), tf.float32)], 2)


def python_at_once(files: List[str]) -> Any:
    number = tf.py_func(len, [record(files)], tf.int64)
    number.set_shape([])
    return tf.train.batch([number], 2)


def of_a_table(files: List[str]) -> Any:
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]))
    return tf.train.batch([table.lookup(record(files))], 2)


def raw(files: List[str]) -> Any:
    return tf.train.batch([record(files)], 2)


def own_queue(files: List[str]) -> Any:
    with queuecompat.options(cache=None):
        queue = tf.FIFOQueue(10, tf.string, [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [tf.group(queue.enqueue(files[0]), tf.timestamp())]))
    image = tf.image.decode_png(tf.read_file(queue.dequeue()), channels=3)
    return tf.train.batch([tf.image.resize_images(image, [2, 2])], 2)


def arrays(files: List[str]) -> Any:
    row = tf.train.slice_input_producer([np.arange(9)])[0]
    return tf.train.batch([row * 2], 2)


REASONS = {
    random_from_the_start: "its elements come neither from a reader nor from tf.read_file of a single file",
    python_at_once: r"PyFunc \(.*test_cache.py:\d+\) calls a Python function, and only reading comes before it",
    of_a_table: r"LookupTableFindV2 \(.*\) reads a variable, a table or other state",
    raw: "only reading comes before the shuffling",
    own_queue: "its elements come from queues that the program fills itself",
    arrays: "its elements come neither from a reader nor from tf.read_file of a single file",
}


@pytest.mark.parametrize("build", REASONS)
def test_where_nothing_can_be_kept_that_is_said_with_the_reason(build: Callable[..., Any], tmp_path: Any) -> None:
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram"):
        build([str(tmp_path / "a")])
        with pytest.warns(CacheWarning, match=f"QC340 no part of 'batch.*' can be cached: {REASONS[build]}"):
            text = str(queuecompat.explain(graph))
    assert "cache   none: QC340 " in text


def test_skipping_failed_elements_and_caching_exclude_each_other(tmp_path: pathlib.Path) -> None:
    with pytest.warns(CacheWarning, match="with on_error='skip', a bad element must fail in every epoch"):
        found = outcome(noisy, records(tmp_path), cache="ram", on_error="skip")
    assert len(found) == -(-30 * EPOCHS // 7)


def test_only_a_pipeline_that_could_be_cached_without_skipping_is_reported(tmp_path: pathlib.Path) -> None:
    """The producer of its file names was reported, too, which has no op that could be cached."""
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram", on_error="skip"):
        noisy(records(tmp_path))
        with pytest.warns(CacheWarning) as caught:
            queuecompat.explain(graph)
    assert [str(one.message).partition(" can be cached")[0] for one in caught] == ["QC340 no part of 'batch'"]


def test_without_the_option_nothing_is_said_or_kept(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        raw(records(tmp_path))
        assert "cache   " not in str(queuecompat.explain(graph))


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"QC341 the cache folder '.*file/cache' cannot be used"):
        outcome(noisy, records(tmp_path), cache=str(tmp_path / "file" / "cache"))


def test_previews_keep_nothing(tmp_path: pathlib.Path, calls: List[Any]) -> None:
    with tf.Graph().as_default() as graph, queuecompat.options(cache="ram"):
        features = parsed(records(tmp_path))
        tf.train.batch([pixels(features)], 4)
        with started(graph) as sess:
            assert sess.run(features["x"]) >= 0
    assert not calls


def test_a_bad_record_is_still_the_error_of_the_step(tmp_path: pathlib.Path) -> None:
    path = write_records(tmp_path / "bad", [example(0), b"no example"])
    with pytest.raises(tf2.errors.InvalidArgumentError, match="Could not parse example input"):
        outcome(noisy, [path], cache="ram")
