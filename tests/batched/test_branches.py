"""Both branches of a condition run on the whole batch, and each row is that of the branch that it takes."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator

import numpy as np
import pytest
import tensorflow as tf

from queuecompat._analysis.batched import form
from tests.batched.rowwise import assert_same, slice_of

tf1 = tf.compat.v1
ROWS = 9
IMAGES = np.random.RandomState(0).randint(0, 255, [ROWS, 5, 4, 3]).astype(np.uint8)
NUMBERS = np.arange(ROWS, dtype=np.int32)


@pytest.fixture(autouse=True, params=["branches of ops", "branches that are functions"])
def control_flow(request: Any) -> Iterator[str]:
    """TensorFlow 1's ``tf.cond``, and TensorFlow 2's."""
    if request.param == "branches that are functions":
        tf1.enable_control_flow_v2()
    yield request.param
    tf1.disable_control_flow_v2()


@pytest.fixture(autouse=True)
def cuts_are_made_for_a_single_op(monkeypatch: Any) -> None:
    monkeypatch.setattr(form, "SMALLEST_SHARE", 0)


def is_odd(n: Any) -> Any:
    return tf.equal(n % 2, 1)


CONDITIONS: Dict[str, Callable[[Any, Any], Any]] = {
    "a flip": lambda x, n: tf.cond(is_odd(n), lambda: tf.reverse(x, [1]), lambda: x),
    "a flip of the others": lambda x, n: tf.cond(is_odd(n), lambda: x, lambda: tf.reverse(x, [0, 1])),
    "two ways": lambda x, n: tf.cond(is_odd(n), lambda: x + 1, lambda: x * 2),
    "two outputs": lambda x, n: tf.cond(is_odd(n), lambda: (x, n), lambda: (tf.reverse(x, [1]), -n)),
    "constants": lambda x, n: tf.cond(is_odd(n), lambda: tf.constant(1.5), lambda: tf.constant(2.5)),
    "the same for all": lambda x, n: tf.cond(tf.constant(True), lambda: x + 1, lambda: x),
    "one in another": lambda x, n: tf.cond(
        n > 3,
        lambda: tf.cond(is_odd(n), lambda: tf.reverse(x, [1]), lambda: x + 1),
        lambda: tf.cond(is_odd(n), lambda: tf.constant(7, tf.uint8) + x, lambda: x),
    ),
    "one after the other": lambda x, n: tf.cond(
        n > 3,
        lambda: tf.image.flip_up_down(x),
        lambda: tf.cond(is_odd(n), lambda: tf.image.flip_left_right(x), lambda: x),
    ),
    "float arithmetic": lambda x, n: tf.cond(
        is_odd(n), lambda: tf.cast(x, tf.float32) / 255.0, lambda: tf.cast(x, tf.float32) - 3
    ),
    "division by what is never 0": lambda x, n: tf.cond(is_odd(n), lambda: n // 3, lambda: n),
}


def test_both_kinds_of_branches_are_tried(control_flow: str) -> None:
    body, _ = slice_of(CONDITIONS["two ways"], [IMAGES, NUMBERS])
    kinds = {op.type for op in body._ops}
    assert ("StatelessIf" in kinds) == (control_flow == "branches that are functions")


@pytest.mark.parametrize("what", CONDITIONS)
def test_each_row_is_that_of_its_branch(what: str) -> None:
    assert_same(CONDITIONS[what], [IMAGES, NUMBERS])


@pytest.mark.parametrize("numbers", [NUMBERS * 0, NUMBERS * 2 + 1], ids=["no row", "every row"])
@pytest.mark.parametrize("what", ["a flip", "two ways"])
def test_rows_that_all_take_one_branch_have_the_bits_of_that_branch(what: str, numbers: np.ndarray) -> None:
    assert_same(CONDITIONS[what], [IMAGES, numbers])


MAY_FAIL: Dict[str, Callable[[Any], Any]] = {
    "integer division": lambda n: 100 // n,
    "a look-up": lambda n: tf.gather(tf.constant([1, 2, 3]), n - 7),
    "a number in a string": lambda n: tf.strings.to_number(tf.strings.as_string(n), tf.int32),
}


@pytest.mark.parametrize("what", MAY_FAIL)
def test_an_op_that_may_fail_in_a_branch_stays_with_its_row(what: str) -> None:
    """On all rows it would fail for those that never come there."""
    body, _ = slice_of(lambda n: tf.cond(n > 6, lambda: MAY_FAIL[what](n), lambda: n) + 1, [NUMBERS])
    made = body.in_batches()
    assert made.tail is not None and made.head is not None
    assert "it may fail in a branch that is not taken" in made.remark
    assert_same(lambda n: tf.cond(n > 6, lambda: MAY_FAIL[what](n), lambda: n) + 1, [NUMBERS], whole=False)


def checked(n: Any) -> Any:
    def check() -> Any:
        with tf.control_dependencies([tf1.Assert(n < 8, ["too large:", n])]):
            return tf.identity(n)

    return tf.cond(is_odd(n), check, lambda: n)


def test_an_assert_in_a_branch_looks_at_the_rows_of_that_branch_alone() -> None:
    assert_same(checked, [NUMBERS])  # 8 is even


def test_an_assert_in_a_branch_fails_for_a_row_of_that_branch() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        assert_same(checked, [NUMBERS + 2])


def test_an_assert_reports_the_first_wrong_row() -> None:
    def build(n: Any) -> Any:
        with tf.control_dependencies([tf1.Assert(n < 5, ["too large:", n])]):
            return tf.identity(n)

    body, _ = slice_of(build, [NUMBERS])
    made = body.in_batches()
    assert made.head is None
    with tf1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=r"\[too large:\] \[5\]"):
        session.run(made.tail.function()(tf.constant(NUMBERS)))


def test_a_cut_never_runs_through_a_branch() -> None:
    def build(x: Any, n: Any) -> Any:
        def one_way() -> Any:
            return tf.exp(tf.cast(x, tf.float32) / 100) * 2 + 1  # other bits in a batch

        return tf.cond(is_odd(n), one_way, lambda: tf.cast(x, tf.float32)) * 2

    made = assert_same(build, [IMAGES, NUMBERS], whole=False)
    assert made.between[0].shape.as_list() == [5, 4, 3]
