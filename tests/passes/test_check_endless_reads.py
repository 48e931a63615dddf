from __future__ import annotations

from queuecompat._passes.check_endless_reads import check_endless_reads
from tests.passes.as_text import FILES, PRODUCE, READ, plan, steps

ENDING = "produce(body=body('names'), num_epochs=2) -> string[]\n" + READ.splitlines()[1]


def test_endless_files_are_checked_for_a_record() -> None:
    assert steps(check_endless_reads(plan(READ))) == (
        "produce(body=body('names'), read_by=read(layout=filelayout(name='TFRecord'), with_key=False, "
        "outputs='string[]')) -> string[]\n"
        "read(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]"
    )


def test_it_holds_back_where_epochs_are_counted() -> None:
    assert check_endless_reads(plan(ENDING)) == plan(ENDING)


def test_it_holds_back_where_nothing_is_read() -> None:
    for source in (PRODUCE, FILES):
        assert check_endless_reads(plan(source)) == plan(source)
