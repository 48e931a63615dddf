"""A few rounds of each part of the campaign, with a new seed every day."""

from __future__ import annotations

import datetime
import pathlib

import pytest

from queuecompat._session.starting.activity import TRANSITIONS
from queuecompat.loader.run import lifecycle
from tests.campaign import __main__ as campaign
from tests.campaign import lifecycles, mutated, schedules, stress

SEED = int(datetime.date.today().strftime("%Y%m%d")) * 100_000
# They need a process in eager mode; tests/meta_graphs/test_refusals.py and tests/dataset/ try the same.
IN_EAGER_MODE = ("dataset", "meta")
# Choices of a schedule; the campaign's last run had six.
DEPTH = {"loader": 4, "runtime": 3, "runtime of two": 1}


def of_a_graph(kinds: object) -> list:
    return [kind for kind in kinds if kind not in IN_EAGER_MODE]  # type: ignore[attr-defined]


def say_how_to_repeat(part: str, kind: str, size: int) -> None:
    print(f"repeat: python -m tests.campaign --part {part} --kind '{kind}' --seed {SEED} --rounds 1 --size {size}")


def test_the_campaign_has_every_kind() -> None:
    assert campaign.PARTS["lifecycles"].kinds == tuple(sorted(lifecycles.KINDS))
    assert campaign.PARTS["mutated"].kinds == tuple(sorted(mutated.KINDS))
    assert campaign.PARTS["stress"].kinds == tuple(sorted(stress.STRESSES))
    assert campaign.PARTS["schedules"].kinds == tuple(sorted(schedules.SUBJECTS))
    assert campaign.PARTS["generated"].kinds == tuple(sorted(campaign.GENERATED))
    assert set(stress.QUICK) == set(stress.FULL) == set(stress.STRESSES)


@pytest.mark.parametrize("kind", of_a_graph(mutated.KINDS))
def test_undamaged_records_are_delivered_and_damaged_ones_are_counted(kind: str, tmp_path: pathlib.Path) -> None:
    say_how_to_repeat("mutated", kind, mutated.FEW)
    mutated.round_of(kind, SEED, tmp_path, mutated.FEW)


@pytest.mark.parametrize("kind", of_a_graph(lifecycles.KINDS))
def test_every_kind_of_end_delivers_correct_elements_and_leaves_nothing_open(kind: str, tmp_path: pathlib.Path) -> None:
    say_how_to_repeat("lifecycles", kind, lifecycles.FEW)
    lifecycles.round_of(kind, SEED, tmp_path, lifecycles.FEW)


@pytest.mark.parametrize("kind", stress.STRESSES)
def test_under_stress_elements_are_correct_and_nothing_stays_open(kind: str, tmp_path: pathlib.Path) -> None:
    say_how_to_repeat("stress", kind, stress.QUICK[kind])
    stress.round_of(kind, SEED, tmp_path, stress.QUICK[kind])


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, its in schedules.SUBJECTS.items() for name in its])
def test_the_outcome_is_the_same_for_every_order_of_threads(part: str, name: str) -> None:
    assert schedules.walked(schedules.SUBJECTS[part][name], DEPTH[part]) > 1


def test_the_schedules_reach_every_row_of_the_state_tables() -> None:
    for part in ("loader", "runtime"):
        for subject in schedules.SUBJECTS[part].values():
            schedules.walked(subject, DEPTH[part])
    events = {row for row, following in lifecycle.TRANSITIONS.items() if following is not row[0]}
    assert events <= schedules.VISITED["loader"]
    # One row takes more choices than there are here.
    assert set(TRANSITIONS) - schedules.VISITED["runtime"] <= {("aborting", "data end")}
