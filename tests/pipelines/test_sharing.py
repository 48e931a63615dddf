"""Decision 2: an element that enters a queue leaves it through one consumer, over all consumers."""

from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np
import pytest

import queuecompat.v1 as tf
from tests.pipelines.running import ENOUGH, started, write_records


def alternate(terminals: Sequence[Any]) -> List[List[Any]]:
    """Runs the terminals in turn, each until it ends."""
    given: List[List[Any]] = [[] for _ in terminals]
    waiting = set(range(len(terminals)))
    with started() as sess:
        for step in range(ENOUGH):
            number = step % len(terminals)
            if number in waiting:
                try:
                    given[number].append(sess.run(terminals[number]))
                except tf.errors.OutOfRangeError:
                    waiting.discard(number)
            if not waiting:
                break
    return given


def flat(steps: Sequence[Sequence[Any]]) -> List[Any]:
    return [np.asarray(row).tolist() for terminal in steps for step in terminal for row in np.atleast_1d(step)]


def test_two_batchers_of_one_tensor_share_its_elements() -> None:
    x = tf.train.range_input_producer(24, num_epochs=2).dequeue()
    given = alternate(
        [
            tf.train.batch([x * 2], 3, allow_smaller_final_batch=True),
            tf.train.batch([x * 2], 4, allow_smaller_final_batch=True),
        ]
    )
    assert all(given)
    assert sorted(flat(given)) == sorted(list(range(0, 48, 2)) * 2)


def test_two_dequeues_of_one_queue_share_its_elements() -> None:
    queue = tf.train.range_input_producer(10, num_epochs=1, shuffle=False)
    given = alternate([queue.dequeue(), queue.dequeue()])
    assert given == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]


def test_the_rest_of_dequeue_many_goes_to_no_other_dequeue() -> None:
    queue = tf.train.range_input_producer(5, num_epochs=1, shuffle=False)
    full, rest = queue.dequeue_many(3), queue.dequeue_up_to(3)
    with started() as sess:
        assert sess.run(full).tolist() == [0, 1, 2]
        for ended in (full, rest):
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(ended)


def test_a_dequeue_that_is_batched_and_one_that_is_run_share_their_queue() -> None:
    queue = tf.train.range_input_producer(20, num_epochs=1)
    alone = queue.dequeue()
    given = alternate([alone, tf.train.batch([queue.dequeue()], 2, capacity=2, allow_smaller_final_batch=True)])
    assert all(given)
    assert sorted(flat(given)) == list(range(20))


def test_two_readers_of_one_queue_split_its_files(tmp_path: Any) -> None:
    files = [write_records(tmp_path / str(f), [b"%d-%d" % (f, r) for r in range(3)]) for f in range(4)]
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    given = alternate([tf.TFRecordReader().read(queue)[1] for _ in range(2)])
    assert sorted(r for g in given for r in g) == sorted(b"%d-%d" % (f, r) for f in range(4) for r in range(3))
    for records in given:  # whole files, not scattered records
        assert [r[-1:] for r in records] == [b"0", b"1", b"2"] * 2


def test_two_reads_of_one_reader_share_its_records(tmp_path: Any) -> None:
    path = write_records(tmp_path / "a", [b"%d" % r for r in range(6)])
    queue = tf.train.string_input_producer([path], num_epochs=1)
    reader = tf.TFRecordReader()
    given = alternate([reader.read(queue)[1], reader.read(queue)[1]])
    assert given == [[b"0", b"2", b"4"], [b"1", b"3", b"5"]]


def test_a_batcher_and_what_fills_a_queue_share_their_source() -> None:
    x = tf.train.range_input_producer(30, num_epochs=1).dequeue()
    compiled = tf.train.batch([x], 3, capacity=3, allow_smaller_final_batch=True)
    size = tf.placeholder_with_default(2, [])
    other = tf.train.batch([x], tf.identity(size), capacity=2, allow_smaller_final_batch=True)
    given = alternate([compiled, other])
    assert all(given)
    assert sorted(flat(given)) == list(range(30))


def test_a_queue_that_turns_native_after_it_was_captured_still_shares() -> None:
    queue = tf.train.range_input_producer(20, num_epochs=1, capacity=4)
    batch = tf.train.batch([queue.dequeue()], 2, capacity=2, allow_smaller_final_batch=True)
    with pytest.warns(UserWarning, match="QC206"):
        size = queue.size()
    alone = queue.dequeue()
    given = alternate([batch, alone])
    assert sorted(flat(given)) == list(range(20))
    with started() as sess:
        assert 0 <= sess.run(size) <= 4


def test_a_reader_that_turns_native_after_it_was_captured_still_delivers_every_record(tmp_path: Any) -> None:
    path = write_records(tmp_path / "a", [b"%d" % r for r in range(6)])
    reader = tf.TFRecordReader()
    queue = tf.train.string_input_producer([path], num_epochs=1)
    batch = tf.train.batch([reader.read(queue)[1]], 2)
    with pytest.warns(UserWarning, match="QC206"):
        produced = reader.num_records_produced()
    with started() as sess:
        records = np.concatenate([sess.run(batch) for _ in range(3)])
        assert sess.run(produced) == 6
    assert records.tolist() == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_a_batch_of_batches_draws_from_the_first() -> None:
    x = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    pairs = tf.train.batch([x], 2)
    quads = tf.train.batch([pairs], 2)
    assert alternate([quads])[0][0].tolist() == [[0, 1], [2, 3]]


def test_a_tensor_upstream_of_a_batch_can_be_run_and_takes_nothing_from_it() -> None:
    x = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([x + 1], 3)
    with started() as sess:
        assert [sess.run(x), sess.run(x)] == [0, 1]
        assert np.concatenate([sess.run(batch) for _ in range(3)]).tolist() == list(range(1, 10))


def test_a_look_upstream_sees_the_seeded_order_and_leaves_it_as_it_is() -> None:
    """Both begin with one dataset, and each has random numbers of its own."""
    x = tf.train.range_input_producer(9, num_epochs=4, seed=5).dequeue()
    batch = tf.train.batch([x], 3)
    given = flat(alternate([batch]))
    seen, again = alternate([x, batch])
    assert flat([again]) == flat([seen]) == given
    assert given[:9] != given[9:18] and sorted(given[:9]) == list(range(9))


def test_readers_on_one_queue_begin_with_one_dataset(tmp_path: Any) -> None:
    queue = tf.train.string_input_producer([write_records(tmp_path / "records", [b"a", b"b"])], num_epochs=1)
    tf.train.batch_join([[tf.TFRecordReader().read(queue)[1]] for _ in range(4)], 1)
    made = [node.op for node in tf.get_default_graph().as_graph_def().node]
    # Four readers that share the queue; previews of any of the four.
    assert 1 <= made.count("FlatMapDataset") <= 2


def test_merging_summaries_of_an_upstream_image_takes_no_element_from_training() -> None:
    images = np.random.RandomState(0).randint(0, 255, [8, 4, 4, 3]).astype(np.uint8)
    image, number = tf.train.slice_input_producer([images, np.arange(8)], num_epochs=1, shuffle=False)
    tf.summary.image("input", tf.expand_dims(image, 0))
    batch = tf.train.batch([image, number], 2)
    merged = tf.summary.merge_all()
    with started() as sess:
        seen = []
        for _ in range(4):
            (_, numbers), summary = sess.run([batch, merged])
            assert len(summary) > 0
            seen += numbers.tolist()
    assert seen == list(range(8))


def test_a_join_and_a_batch_share_their_source() -> None:
    """The join once drew on a stream of its own: every element came out twice."""
    x = tf.train.range_input_producer(20, num_epochs=1).dequeue()
    batch = tf.train.batch([x], 1, capacity=1)
    joined = tf.train.batch_join([[x]], 1, capacity=1)
    given = alternate([batch, joined])
    assert all(given)
    assert sorted(flat(given)) == list(range(20))


@pytest.mark.parametrize("add", ["ours", "TensorFlow's"])
def test_a_queue_of_the_programs_own_and_a_batch_share_their_source(add: str) -> None:
    x = tf.train.range_input_producer(20, num_epochs=1).dequeue()
    batch = tf.train.batch([x], 1, capacity=1)
    queue = tf.FIFOQueue(1, [tf.int32], [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue([x])])
    if add == "ours":
        tf.train.add_queue_runner(runner)
    else:
        tf.add_to_collection(tf.GraphKeys.QUEUE_RUNNERS, runner)
    given = alternate([batch, queue.dequeue()])
    assert all(given)
    assert sorted(flat(given)) == list(range(20))


def test_a_second_consumer_after_the_start_is_refused_and_a_new_queue_is_not() -> None:
    queue = tf.train.range_input_producer(10, shuffle=False)
    first = tf.train.batch([queue.dequeue()], 2)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        assert sess.run(first).tolist() == [0, 1]
        other = tf.train.batch([tf.train.range_input_producer(4, shuffle=False).dequeue()], 2)
        tf.train.start_queue_runners(sess=sess)
        assert sess.run(other).tolist() == [0, 1]
        assert sess.run(first).tolist() == [2, 3]
        with pytest.raises(RuntimeError, match="QC304"):
            queue.dequeue()


def test_a_queue_that_was_started_without_a_consumer_may_get_one() -> None:
    queue = tf.train.range_input_producer(10, shuffle=False)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        x = queue.dequeue()
        tf.train.start_queue_runners(sess=sess)
        assert [sess.run(x) for _ in range(3)] == [0, 1, 2]
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        assert sess.run(x) == 0
