"""What waits for a check or an effect waits in batched form, too: also where only a constant is tied to it."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict

import numpy as np
import pytest
import tensorflow as tf

from queuecompat._analysis.batched import form
from tests.batched.rowwise import assert_same, runner, slice_of

tf1 = tf.compat.v1
ROWS = 6
NUMBERS = np.arange(ROWS, dtype=np.int32)
IMAGES = np.random.RandomState(0).randint(0, 255, [ROWS, 5, 4, 3]).astype(np.uint8)


def after_nothing(wait: Callable[[], Any], x: Any) -> Any:
    with wait():
        nothing = tf.no_op()
    with tf.control_dependencies([nothing]):
        return x + 1


def in_block(build: Callable[[Any], Any]) -> Callable[[Callable[[], Any], Any], Any]:
    def whole(wait: Callable[[], Any], x: Any) -> Any:
        with wait():
            return build(x)

    return whole


def constant_used_outside(build: Callable[[], Any], use: Callable[[Any, Any], Any]) -> Any:
    def whole(wait: Callable[[], Any], x: Any) -> Any:
        with wait():
            constant = build()
        return use(constant, x)

    return whole


def shape_used_outside(wait: Callable[[], Any], x: Any) -> Any:
    image = tf.one_hot([[x, x, x], [x, x, x]], 4)
    with wait():
        shape = tf.shape(image)
    return tf.reshape(tf.transpose(image), shape)


def of_window(wait: Callable[[], Any], x: Any, waits_in: str) -> Any:
    """A window of an image, cast and mirrored; one of the three steps waits."""
    step = {name: wait if name == waits_in else contextlib.nullcontext for name in ("crop", "cast", "mirror")}
    image = tf.one_hot([[x] * 5] * 4, 6, dtype=tf.uint8)
    place = tf.stack([x % 2, x % 3, 0])
    with step["crop"]():
        window = tf.slice(image, place, [3, 3, 6])
    with step["cast"]():
        window = tf.cast(window, tf.float32)
    mirrored = tf.cond(tf.equal(x % 2, 1), lambda: tf.reverse(window, [1]), lambda: window)
    with step["mirror"]():
        return tf.identity(mirrored)


# Of each, TensorFlow gives the control input to a constant alone, or to what only waits.
IDIOMS: Dict[str, Callable[[Callable[[], Any], Any], Any]] = {
    "times a constant": in_block(lambda x: x * 10),
    "minus a constant": in_block(lambda x: x - 1),
    "at most": in_block(lambda x: tf.minimum(x, 100)),
    "a new shape": in_block(lambda x: tf.reshape(x, [1, 1])),
    "a lookup": in_block(lambda x: tf.gather(tf.constant([3, 1, 2, 5, 4, 0]), x)),
    "one_hot": in_block(lambda x: tf.one_hot(x, 8)),
    "a constant output": in_block(lambda x: tf.constant(7)),
    "constant arithmetic": in_block(lambda x: x + tf.constant([1, 2]) * 3),
    "a slice": constant_used_outside(lambda: tf.constant([1]), lambda begin, x: tf.slice(tf.one_hot(x, 8), begin, [2])),
    "zeros": constant_used_outside(lambda: tf.zeros([2], tf.int32), lambda zeros, x: zeros + x),
    "a range": constant_used_outside(lambda: tf.range(6), tf.gather),
    "a size": constant_used_outside(
        lambda: tf.constant(2), lambda size, x: tf.reshape(tf.stack([x] * 4), tf.stack([size, size]))
    ),
    "nothing": after_nothing,
    "a static shape": shape_used_outside,
    **{f"a window's {step}": functools.partial(of_window, waits_in=step) for step in ("crop", "cast", "mirror")},
}


def check_of(x: Any) -> Callable[[], Any]:
    return lambda: tf.control_dependencies([tf1.Assert(x < 4, ["too large:", x])])


@pytest.fixture(autouse=True)
def cuts_are_made_for_a_single_op(monkeypatch: Any) -> None:
    monkeypatch.setattr(form, "SMALLEST_SHARE", 0)


@pytest.mark.parametrize("idiom", IDIOMS)
def test_a_check_that_holds_changes_nothing(idiom: str) -> None:
    assert_same(lambda x: (IDIOMS[idiom](check_of(x), x), x), [NUMBERS[:4]])


@pytest.mark.parametrize("idiom", IDIOMS)
def test_a_check_that_does_not_hold_is_an_error(idiom: str) -> None:
    body, _ = slice_of(lambda x: (IDIOMS[idiom](check_of(x), x), x), [NUMBERS])
    tail = body.in_batches().tail
    assert tail is not None
    with tf1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=r"\[too large:\] \[4\]"):
        runner(tail, session)(NUMBERS)


@pytest.mark.parametrize("idiom", IDIOMS)
def test_an_effect_takes_place_for_each_element(idiom: str) -> None:
    count = tf1.get_variable("count", [], tf.int32, tf1.zeros_initializer(), use_resource=True)
    body, _ = slice_of(
        lambda x: (IDIOMS[idiom](lambda: tf.control_dependencies([tf1.assign_add(count, 1)]), x), -x), [NUMBERS]
    )
    made = body.in_batches()
    with tf1.Session() as session:
        session.run(count.initializer)
        for_each = made.head if made is not None and made.tail is not None else body
        assert for_each is not None, made.remark
        run = runner(for_each, session)
        for number in NUMBERS:
            run(number)
        assert session.run(count) == ROWS


def test_the_larger_part_of_a_slice_runs_on_batches_beside_an_effect() -> None:
    """What waits for it stays with each element, and goes into the batch."""
    count = tf1.get_variable("count", [], tf.int32, tf1.zeros_initializer(), use_resource=True)

    def build(x: Any) -> Any:
        with tf.control_dependencies([tf1.assign_add(count, 1)]):
            factor = tf.constant(3, tf.uint8)
        return tf.cast(x * factor, tf.float32) / 255.0 - 0.5

    made = assert_same(build, [IMAGES], whole=False, before=lambda session: session.run(count.initializer))
    assert "it waits for an op with side effects" in made.remark


def test_a_constant_of_a_branch_needs_no_row() -> None:
    """Its control input only says that the branch is taken."""
    made = assert_same(lambda x: tf.cond(x > 2, lambda: x * 2, lambda: x + tf.constant(5)), [NUMBERS])
    rows = [op for op in made.tail.outputs[0].graph.get_operations() if op.type == "Const" and op.control_inputs]
    assert not rows


@pytest.mark.parametrize("kind", ["batch", "shuffle_batch"])
def test_a_program_that_checks_its_elements_ends_at_the_wrong_one(kind: str) -> None:
    """What it delivered before: every element, and no error."""
    from queuecompat import v1

    x = v1.train.range_input_producer(10, shuffle=False).dequeue()
    with v1.control_dependencies([v1.assert_less(x, 4)]):
        checked = x * 2
    batch = v1.train.batch([checked], 2) if kind == "batch" else v1.train.shuffle_batch([checked], 2, 6, 2, seed=1)
    seen = []
    with v1.Session() as session:
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.InvalidArgumentError):
            while True:
                seen += session.run(batch).tolist()
        coord.request_stop()
        with pytest.raises(tf.errors.InvalidArgumentError):
            coord.join(threads)
    assert set(seen) <= {0, 2, 4, 6}
