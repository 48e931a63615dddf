from __future__ import annotations

import dataclasses
from typing import Any, Union

import pytest
import tensorflow as tf

from queuecompat._passes.cache_elements import cache_elements
from queuecompat._plan import ir
from queuecompat._plan.bodies import CacheSplit
from queuecompat._plan.options import Options
from tests.passes.as_text import FILES, PRODUCE, READ, ParsedBody, plan, run, steps

PIXELS = (tf.TensorSpec([4], tf.uint8), tf.TensorSpec([], tf.int64))
QUEUE = "queue(capacity=32, min_after_dequeue=8) -> float32[4]"


class Halves(ParsedBody):
    """A body that has a part that may be kept."""

    def __init__(self, **kept: Any) -> None:
        super().__init__("whole")
        self._kept = {"uses": (0,), "tail_uses": (1, 0), "key": "k", **kept}

    def cache_split(self, after_read: bool) -> Union[CacheSplit, str]:
        return CacheSplit(head=ParsedBody("head"), between=PIXELS, tail=ParsedBody("tail"), **self._kept)


def chosen(*lines: str, body: Any = None, **options: Any) -> ir.Plan:
    """The plan of *lines*, whose last ``Run`` has this *body*, with a cache."""
    one = dataclasses.replace(plan(*lines), options=Options(cache="ram", **options))
    if body is None:
        return one
    last = max(number for number, step in enumerate(one.steps) if isinstance(step, ir.Run))
    changed = list(one.steps)
    changed[last] = dataclasses.replace(changed[last], body=body)
    return one.with_steps(tuple(changed))


def test_it_holds_back_without_the_option_and_in_a_preview() -> None:
    before = plan(READ, run(uses="(1,)"))
    assert cache_elements(before) == before
    preview = dataclasses.replace(plan(READ, run(uses="(1,)"), preview=True), options=Options(cache="ram"))
    assert cache_elements(preview) == preview


def test_records_and_what_is_made_of_them_are_kept_before_the_rest_of_the_slice() -> None:
    changed = cache_elements(chosen(READ, run(uses="(1,)", specs="float32[4]"), QUEUE, body=Halves()))
    first, cache, tail, queue = steps(changed).splitlines()
    assert first.startswith("produce(")
    assert cache.startswith("cache(inner=(read(layout=filelayout(name='TFRecord'), with_key=True, outputs=")
    assert "run(body=body('head'), uses=(1,), outputs='uint8[4], int64[]')" in cache
    assert cache.endswith("-> uint8[4], int64[]")
    assert tail == "run(body=body('tail'), uses=(1, 0)) -> float32[4]"
    assert queue == QUEUE


def test_a_slice_that_is_cached_as_a_whole_leaves_no_ops_after_the_cache() -> None:
    changed = cache_elements(chosen(READ, run(uses="(1,)"), body=Halves(is_whole=True)))
    assert [type(step).__name__ for step in changed.steps] == ["Produce", "Cache"]


def test_what_reads_its_file_itself_is_kept_beside_what_came_with_the_name() -> None:
    body = Halves(name=ParsedBody("name"), name_uses=(0,), uses=(), tail_uses=(0, -1))
    changed = cache_elements(chosen(PRODUCE, run(specs="float32[4]"), body=body))
    _, name, cache, tail = steps(changed).splitlines()
    assert name == "run(body=body('name'), uses=(0,)) -> string[], int32[]"
    assert "beside=True" in cache
    assert cache.endswith("-> string[], int32[], uint8[4], int64[]")
    assert tail == "run(body=body('tail'), uses=(2, 1)) -> float32[4]"


def test_large_elements_are_kept_few_at_a_time() -> None:
    cache = cache_elements(chosen(READ, run(uses="(1,)"), body=Halves())).steps[1]
    assert isinstance(cache, ir.Cache)
    assert cache.rows == 256
    large = dataclasses.replace(Halves().cache_split(True), between=(tf.TensorSpec([1000, 1000, 3], tf.uint8),))
    body = Halves()
    body.cache_split = lambda after_read: large  # type: ignore[method-assign]
    cache = cache_elements(chosen(READ, run(uses="(1,)"), body=body)).steps[1]
    assert isinstance(cache, ir.Cache)
    assert cache.rows == 1


OWN = "pull(stream='q', stage='q', is_own=True) -> string[]"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((READ, run(uses="(1,)")), "nothing is known of its ops"),
        ((READ, "queue(capacity=3) -> string[], string[]"), "only reading comes before the shuffling"),
        ((PRODUCE, "batch(size=4) -> int32[4]"), "no op comes before the shuffling"),
        ((OWN, run()), "its elements come from queues that the program fills itself"),
        ((FILES.replace("string[]", "string[?]"), run()), "what the names of files come with differs in shape"),
    ],
)
def test_where_nothing_is_kept_the_plan_says_why(lines: Any, why: str) -> None:
    before = chosen(*lines)
    assert cache_elements(before) == dataclasses.replace(before, uncached=why)


def test_it_holds_back_where_what_fails_is_to_be_skipped() -> None:
    changed = cache_elements(chosen(READ, run(uses="(1,)"), body=Halves(), on_error="skip"))
    assert "on_error='skip'" in changed.uncached


def test_the_readers_of_a_join_each_have_a_cache_and_the_whole_has_no_reason() -> None:
    one = cache_elements(chosen(READ, run(uses="(1,)", specs="float32[4]"), body=Halves()))
    branches = (dataclasses.replace(one, name="a"), dataclasses.replace(one, name="b"))
    whole = dataclasses.replace(one, steps=(ir.Merge(one.components, branches),))
    assert cache_elements(whole) == whole
    without = tuple(dataclasses.replace(branch, uncached="for a reason") for branch in branches)
    assert cache_elements(whole.with_steps((ir.Merge(one.components, without),))).uncached == "for a reason"


def test_the_key_differs_for_another_reader_and_for_other_ops() -> None:
    def key(*lines: str, **kept: Any) -> str:
        cache = cache_elements(chosen(*lines, run(uses="(1,)"), body=Halves(**kept))).steps[1]
        assert isinstance(cache, ir.Cache)
        return cache.key

    lines = READ.replace("TFRecord", "TextLine")
    assert len({key(READ), key(lines), key(READ, key="other")}) == 3
    assert key(READ) == key(READ)
