"""Where an iterator stands: saved, and restored."""

from __future__ import annotations

import ast
import itertools
import pathlib

import pytest
import tensorflow as tf

import queuecompat
from tests.dataset import positions
from tests.dataset.positions import INPUT_FNS, UNSEEDED, flat, restored
from tests.forking import Server

tf1 = tf.compat.v1
ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("steps", [0, 3, 14])
@pytest.mark.parametrize("name", sorted(INPUT_FNS))
def test_a_restored_iterator_goes_on_where_the_saved_one_stood(name: str, steps: int, tmp_path: pathlib.Path) -> None:
    iterator = iter(queuecompat.as_dataset(INPUT_FNS[name], strict=True))
    for _ in range(steps):
        next(iterator)
    prefix = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    to_come, rest = [flat(batch) for batch in iterator], restored(name, prefix)
    assert len(rest) == len(to_come)
    # Of what is not seeded, the epochs that had not begun come in another order.
    known = 2 if name in UNSEEDED and steps else (0 if name in UNSEEDED else len(rest))
    assert rest[:known] == to_come[:known]
    assert sorted(itertools.chain(*rest)) == sorted(itertools.chain(*to_come))


def test_it_can_be_restored_in_a_new_process(tmp_path: pathlib.Path, server: Server) -> None:
    iterator = iter(queuecompat.as_dataset(INPUT_FNS["seeded pool"], strict=True))
    for _ in range(5):
        next(iterator)
    prefix = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size < 5000
    command = [positions.__file__, "seeded pool", prefix]
    there = server.run(command, str(tmp_path), environment={"PYTHONPATH": str(ROOT)})
    assert there.exit_code == 0, there.err
    assert ast.literal_eval(there.out.splitlines()[-1]) == [flat(batch) for batch in iterator]
