"""A few rounds of each part of the campaign, with a new seed every day."""

from __future__ import annotations

import datetime
import pathlib

import pytest

from tests.campaign import lifecycles, mutated

SEED = int(datetime.date.today().strftime("%Y%m%d")) * 100_000


@pytest.mark.parametrize("kind", mutated.KINDS)
def test_of_damaged_input_what_is_whole_comes_out_and_the_rest_is_counted(kind: str, tmp_path: pathlib.Path) -> None:
    print(f"repeat: python -m tests.campaign --part mutated --kind {kind} --seed {SEED} --rounds 1")
    mutated.round_of(kind, SEED, tmp_path)


@pytest.mark.parametrize("kind", lifecycles.PIPELINES)
def test_however_a_pipeline_ends_nothing_is_wrong_and_nothing_stays(kind: str, tmp_path: pathlib.Path) -> None:
    print(f"repeat: python -m tests.campaign --part lifecycles --kind {kind} --seed {SEED} --rounds 1")
    lifecycles.round_of(kind, SEED, tmp_path)
