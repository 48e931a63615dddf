"""The join forms: several lists side by side, every element once, the end with the last of them."""

from __future__ import annotations

from typing import Any, Iterator, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, started, write_records


def numbers(limit: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=num_epochs, shuffle=False).dequeue()


def plan_text() -> str:
    return str(queuecompat.explain())


def test_each_list_keeps_its_order_and_the_last_to_end_ends_the_batches() -> None:
    batch = tf.train.batch_join([[numbers(3)], [numbers(20) + 100]], 4, allow_smaller_final_batch=True)
    rows = np.concatenate(drain(batch)).tolist()
    assert [row for row in rows if row < 100] == [0, 1, 2]
    assert [row for row in rows if row >= 100] == list(range(100, 120))


def test_lists_that_hang_on_one_stage_share_its_elements() -> None:
    x = numbers(24)
    rows = np.concatenate(drain(tf.train.batch_join([[x], [x + 100]], 2)))
    assert sorted(rows % 100) == list(range(24))


def test_readers_on_one_filename_queue_split_the_files(tmp_path: Any) -> None:
    files = [write_records(tmp_path / str(f), [b"%d-%d" % (f, r) for r in range(5)]) for f in range(6)]
    queue = tf.train.string_input_producer(files, num_epochs=1)
    lists = [[tf.TFRecordReader().read(queue)[1]] for _ in range(3)]
    rows = np.concatenate(drain(tf.train.shuffle_batch_join(lists, 5, capacity=12, min_after_dequeue=4)))
    assert sorted(rows) == sorted(b"%d-%d" % (f, r) for f in range(6) for r in range(5))


def test_lists_that_do_the_same_become_one_slice(tmp_path: Any) -> None:
    files = [write_records(tmp_path / str(f), [bytes([f, r]) for r in range(5)]) for f in range(4)]
    queue = tf.train.string_input_producer(files, num_epochs=1)

    def example() -> List[Any]:
        return [tf.cast(tf.reshape(tf.decode_raw(tf.TFRecordReader().read(queue)[1], tf.uint8), [2]), tf.int32)]

    batch = tf.train.shuffle_batch_join([example() for _ in range(3)], 4, capacity=12, min_after_dequeue=4)
    assert plan_text().count("DecodeRaw") == 1
    assert sorted(map(tuple, np.concatenate(drain(batch)).tolist())) == [(f, r) for f in range(4) for r in range(5)]


@pytest.fixture(params=["of TF1", "of TF2"])
def control_flow(request: Any) -> Iterator[None]:
    if request.param == "of TF2":
        tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def _looped(x: Any) -> Any:
    def is_going_on(n: Any, _: Any) -> Any:
        return n < 3

    return tf.while_loop(is_going_on, lambda n, total: (n + 1, total + x), [0, x])[1]


@pytest.mark.parametrize(
    "work",
    [
        lambda image: tf.image.random_flip_left_right(tf.random_crop(image, [2, 2, 1])),
        lambda image: tf.map_fn(lambda row: row * 2, image),
        lambda image: tf.cond(tf.reduce_sum(image) > 9, lambda: _looped(image), lambda: image - 1),
    ],
)
def test_lists_that_branch_and_loop_alike_become_one_slice(work: Any, control_flow: None) -> None:
    lists = [[work(tf.fill([3, 3, 1], numbers(6)))] for _ in range(2)]
    batch = tf.train.batch_join(lists, 4)
    text = plan_text()
    assert text.count(" map ") == 1, text
    assert len(drain(batch)) == 3


@pytest.mark.parametrize(
    ("otherwise", "given"),
    [
        (lambda x: x - 2, [-2, -1, 0, 1]),
        (lambda x: x * 1, [0, 1, 2, 3]),
        (lambda x: tf.cond(x > 1, lambda: x - 1, lambda: x - 2), [-2, -1, 1, 2]),
    ],
)
def test_lists_that_differ_in_a_branch_alone_keep_their_slices(
    otherwise: Any, given: List[int], control_flow: None
) -> None:
    lists = []
    for branch in (lambda x: x - 1, otherwise):
        x = numbers(6)
        lists.append([tf.cond(x > 3, lambda: x + 1, lambda: branch(x))])  # noqa: B023  # called at once
    batch = tf.train.batch_join(lists, 4)
    assert plan_text().count(" map ") == 2
    assert sorted(np.concatenate(drain(batch)).tolist()) == sorted([-1, 0, 1, 2, 5, 6, *given, 5, 6])


def test_lists_that_do_different_things_keep_their_slices() -> None:
    x, y = numbers(8), numbers(8)
    batch = tf.train.batch_join([[tf.as_string(x)], [tf.as_string(y + 8)]], 4)
    assert plan_text().count("AsString") == 2
    assert sorted(np.concatenate(drain(batch)), key=int) == [b"%d" % n for n in range(16)]


def test_a_source_that_stands_still_does_not_hold_up_the_others() -> None:
    still = tf.FIFOQueue(4, [tf.int32], [[]])
    batch = tf.train.batch_join([[still.dequeue()], [numbers(10, None)]], 5)
    with started() as sess:
        for _ in range(20):
            assert sess.run(batch).shape == (5,)
        sess.run(still.enqueue(77))
        assert any(77 in sess.run(batch) for _ in range(100))
        sess.run(still.close())


def test_an_error_in_one_list_reaches_the_run() -> None:
    x = numbers(10)
    checked = tf.train.batch_join([[numbers(10)], [tf.check_numerics(1.0 / tf.cast(3 - x, tf.float32), "oh")]][1:], 2)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        for _ in range(10):
            sess.run(checked)


def test_the_lists_of_dicts_are_merged_by_key() -> None:
    lists = [{"b": numbers(4), "a": numbers(4) * 2}, {"a": numbers(4) * 2, "b": numbers(4)}]
    batches = drain(tf.train.batch_join(lists, 2))
    assert all((batch["a"] == 2 * batch["b"]).all() for batch in batches)
    assert len(batches) == 4


def test_rows_of_different_lists_are_padded_together() -> None:
    x, y = numbers(4) + 1, numbers(4) + 1
    short, long = tf.fill([2 + 0 * x], x), tf.fill([5 + 0 * y], y)
    batches = drain(tf.train.batch_join([[short], [long]], 2, dynamic_pad=True))
    lengths = sorted(int((row > 0).sum()) for batch in batches for row in batch)
    assert lengths == [2] * 4 + [5] * 4
