"""The text of a plan: it prints as it was written, and every kind of step is in every table."""

from __future__ import annotations

import dataclasses
from typing import Any, Set, Type

import pytest

from queuecompat._backends import text
from queuecompat._backends.program import steps as program
from queuecompat._backends.tfdata import blocks, dataset, files
from queuecompat._plan import ir
from queuecompat._plan.cardinality import ENDLESS
from queuecompat._plan.printing import ParsedBody, parsed, printed
from tests.passes.as_text import plan

KINDS = sorted(
    (
        kind
        for kind in vars(ir).values()
        if isinstance(kind, type) and issubclass(kind, ir.Step) and kind is not ir.Step
    ),
    key=lambda kind: kind.__name__,
)
# What the passes take out of every plan, so that nothing after them knows it.
CAPTURED_ONLY = {ir.Queue}
# What a session's passes put in, which no program has.
OF_SESSIONS = {ir.Count}

PLAN = """plan 'batch' at 'train.py:12', preview
  merge(ahead=3) -> string[], string[]
    plan 'a' at 'x.py:2'
      produce(body=body('names'), read_by=READ_BY) -> string[]
      read(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]
    plan 'b' at 'x.py:2'
      pull(stream='q', stage='q', is_native=True, entrance=entrance(stream='s', number=0)) -> string[], string[]
  run(body=body('3 ops', is_random=True), uses=(0,), draws=(DRAW,)) -> float32[28,?], int32[...]
  shuffle(buffer=3, growth=growth(least=3, steady=4, own=('q',))) -> float32[28,?], int32[...]
  queue(capacity=32, min_after_dequeue=8) -> float32[28,?], int32[...]""".replace(
    "READ_BY", "read(layout=filelayout(name='TFRecord'), with_key=False, outputs='string[]')"
).replace("DRAW", "pull(stream='q', stage='q', outputs='int32[]')")


def test_what_is_printed_is_parsed_again() -> None:
    assert printed(parsed(PLAN)) == PLAN
    assert parsed(printed(parsed(PLAN))) == parsed(PLAN)


def test_a_body_prints_the_facts_that_passes_know() -> None:
    body = ParsedBody("decode", is_random=True, has_effects=True)
    assert printed(plan("produce(body=body('decode', is_random=True, has_effects=True)) -> int32[]")).endswith(
        "produce(body=body('decode', is_random=True, has_effects=True)) -> int32[]"
    )
    assert body == ParsedBody("decode", has_effects=True, is_random=True) != ParsedBody("decode")
    assert hash(body) == hash(ParsedBody("decode", has_effects=True, is_random=True))
    with pytest.raises(NotImplementedError):
        body.function()
    with pytest.raises(NotImplementedError):
        body.written("f", [], None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nothing(a=1) -> int32[]", "no step is called 'nothing'"),
        ("1 + 1 -> int32[]", "not a step"),
        ("batch(size -> int32[]", "not a step"),
        ("produce(body=body('f', is_fast=True)) -> int32[]", "no fact 'is_fast'"),
        ("plan p at here", "not the first line of a plan"),
        ("plan 'p' at 'x'\n  endless() -> int64[]\nendless() -> int64[]", "not part of the plan"),
        ("batch(size=4) -> int32[4]", "makes elements"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_line(wrong: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parsed(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_step_is_in_every_table(kind: Type[Any]) -> None:
    assert kind in text._WORDS
    assert (kind in dataset._LOWERINGS) == (kind not in CAPTURED_ONLY)
    assert (kind in program._STEPS) == (kind not in CAPTURED_ONLY | OF_SESSIONS)
    assert kind in ENDLESS


def test_a_plan_holds_nothing_but_data() -> None:
    """What lives in a graph or a session a plan names; else two plans that mean the same would differ."""
    data: Set[Any] = {"int", "str", "bool", "Optional[int]", "Optional[Seeds]", "Seeds"}
    of_ir = {name for name, value in vars(ir).items() if isinstance(value, type)}
    for kind in [*KINDS, ir.Growth, ir.Entrance, ir.FileLayout]:
        for field in dataclasses.fields(kind):
            words = str(field.type).replace("Optional[", "").replace("Tuple[", "").replace(", ...", "").rstrip("]")
            assert words in data | of_ir | {"Body", "Components"}, (kind.__name__, field.name, field.type)


def test_every_file_format_is_lowered_and_written() -> None:
    """A format that is missing from either table would fail there only when a program uses it."""
    assert files.LAYOUTS.keys() == program.LAYOUTS.keys()


def test_every_file_format_is_read_in_blocks_too() -> None:
    """A format that is missing there would fail only where a program asks for a global order."""
    assert blocks._LAYOUTS.keys() == files.LAYOUTS.keys()
