from __future__ import annotations

import dataclasses

from queuecompat._compiler.passes.check_endless_reads import check_endless_reads
from tests.passes.plans import plan, produce, read


def test_endless_files_are_checked_for_a_record() -> None:
    after = check_endless_reads(plan(produce(), read()))
    assert after.steps[0].read_by == read().without_key()  # type: ignore[attr-defined]


def test_it_holds_back_where_epochs_are_counted() -> None:
    before = plan(dataclasses.replace(produce(), num_epochs=2), read())
    assert check_endless_reads(before) == before


def test_it_holds_back_where_nothing_is_read() -> None:
    before = plan(produce())
    assert check_endless_reads(before) == before
