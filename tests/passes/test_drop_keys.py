from __future__ import annotations

from queuecompat._passes.drop_keys import drop_keys
from tests.passes.as_text import FILES, PRODUCE, READ, plan, run

VALUES = f"{FILES}\nread(layout=filelayout(name='TFRecord'), with_key=False) -> string[]"
TWO_READERS = """
merge() -> string[], string[]
  plan 'a' at 'here.py:1'
    produce(body=body('names')) -> string[]
    read(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]
  plan 'b' at 'here.py:1'
    produce(body=body('names')) -> string[]
    read(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]
"""


def test_an_unused_key_is_not_made() -> None:
    assert drop_keys(plan(READ, run(uses="(1,)"))) == plan(VALUES, run(uses="(0,)"))


def test_choosing_the_value_alone_needs_no_step() -> None:
    assert drop_keys(plan(READ, run("is_empty=True", uses="(1,)", specs="string[]"))) == plan(VALUES)


def test_it_holds_back_where_the_key_is_used() -> None:
    before = plan(READ, run(uses="(0, 1)"))
    assert drop_keys(before) == before


def test_it_holds_back_where_the_program_runs_the_read_itself() -> None:
    assert drop_keys(plan(READ)) == plan(READ)


def test_a_key_that_goes_through_a_queue_unused_is_not_made() -> None:
    queue = "queue(capacity=32, min_after_dequeue=8) -> string[]"
    before = plan(READ, f"{queue}, string[]", run(uses="(1,)"))
    assert drop_keys(before) == plan(VALUES, queue, run(uses="(0,)"))


def test_no_reader_of_several_makes_a_key_that_is_not_used() -> None:
    queue = "queue(capacity=32) -> string[]"
    without = TWO_READERS.replace("with_key=True", "with_key=False").replace("string[], string[]", "string[]")
    before = plan(TWO_READERS, f"{queue}, string[]", run(uses="(1,)"))
    assert drop_keys(before) == plan(without, queue, run(uses="(0,)"))


def test_it_holds_back_where_one_of_several_lists_is_not_read() -> None:
    made = """
    merge() -> string[], string[]
      plan 'a' at 'here.py:1'
        produce(body=body('names')) -> string[]
        read(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]
      plan 'b' at 'here.py:1'
        produce(body=body('names')) -> string[]
        run(body=body('f'), uses=(0,)) -> string[], string[]
    """
    before = plan(made, "queue(capacity=32) -> string[], string[]", run(uses="(1,)"))
    assert drop_keys(before) == before


def test_it_holds_back_where_a_queue_is_not_followed_by_a_slice() -> None:
    before = plan(READ, "queue(capacity=32) -> string[], string[]")
    assert drop_keys(before) == before


def test_it_holds_back_where_nothing_is_read() -> None:
    before = plan(PRODUCE, run())
    assert drop_keys(before) == before
