from __future__ import annotations

import pytest

from queuecompat._passes.cut_epochs import cut_epochs
from queuecompat._passes.size_buffers import size_buffers
from tests.passes.as_text import kinds, plan, run, steps

ROWS = "body=body('rows'), seeds=(None, None)"
EPOCHS = f"produce({ROWS}, rows=100) -> int32[]"
POOL = "shuffle(buffer=60, queue='q') -> int32[]"
QUEUE = "queue(capacity=60, min_after_dequeue=20, queue='q') -> int32[]"
BATCH = "batch(size=4) -> int32[4]"
TAIL = "run(body=body('f'), uses=(0,), batched=True) -> float32[4]"


def test_batches_are_cut_out_of_whole_epochs() -> None:
    after = cut_epochs(plan(EPOCHS, "queue(capacity=9, queue='q') -> int32[]", BATCH, TAIL))
    assert after == plan(
        f"produce({ROWS}, rows=100, is_whole=True) -> int32[?]",
        "queue(capacity=9, queue='q') -> int32[?]",
        "batch(size=4, refills=True) -> int32[4]",
        TAIL,
    )


def test_a_shuffle_buffer_no_larger_than_an_epoch_is_left_out() -> None:
    after = cut_epochs(plan(EPOCHS, POOL, QUEUE, BATCH, TAIL))
    assert kinds(after) == ["produce", "queue", "batch", "run"]
    assert steps(after).startswith(f"produce({ROWS}, rows=100, is_whole=True, mixes_for='q') -> int32[?]\n")
    # No more decoded batches wait than with the buffer.
    assert steps(size_buffers(after)).endswith("prefetch(count=1, queue='q') -> float32[4]")


@pytest.mark.parametrize(
    "produce",
    [
        f"produce({ROWS}, rows=50) -> int32[]",
        f"produce({ROWS}) -> int32[]",
        f"produce({ROWS}, rows=100, num_epochs=2) -> int32[]",
        "produce(body=body('rows'), seeds=(1, 2), rows=100) -> int32[]",
        "produce(body=body('rows'), rows=100) -> int32[]",
    ],
    ids=["short epochs", "unknown", "an end", "seeded", "not shuffled"],
)
def test_a_shuffle_buffer_that_has_something_to_do_stays(produce: str) -> None:
    before = plan(produce, POOL, QUEUE, BATCH, TAIL)
    assert cut_epochs(before) == before


def test_a_seeded_shuffle_buffer_stays() -> None:
    before = plan(EPOCHS, POOL.replace("60,", "60, seed=3,"), QUEUE, BATCH)
    assert cut_epochs(before) == before


@pytest.mark.parametrize("between", [run(), "unbatch() -> int32[]"])
def test_it_holds_back_where_something_happens_to_single_rows(between: str) -> None:
    before = plan(EPOCHS, between, "queue(capacity=9, queue='q') -> int32[]", BATCH)
    assert cut_epochs(before) == before


def test_it_holds_back_where_the_data_have_an_end() -> None:
    """The number of batches, which Keras asks for, would be unknown."""
    produce = "produce(body=body('rows'), rows=100, num_epochs=2) -> int32[]"
    before = plan(produce, "queue(capacity=9, queue='q') -> int32[]", BATCH)
    assert cut_epochs(before) == before


def test_it_holds_back_at_padding_and_in_a_preview() -> None:
    queue = "queue(capacity=9, queue='q') -> int32[]"
    padded = plan(EPOCHS, queue, "batch(size=4, padded=True) -> int32[4]")
    assert cut_epochs(padded) == padded
    previewed = plan(EPOCHS, queue, BATCH, preview=True)
    assert cut_epochs(previewed) == previewed
