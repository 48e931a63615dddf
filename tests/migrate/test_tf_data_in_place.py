"""``--to tf-data`` moves nothing past a call that may change its value in place."""

from __future__ import annotations

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sources import migrated, source

PROGRAM = """\
import heapq, logging, random
import numpy as np
import tensorflow as tf
import queuecompat
import elsewhere

generator = np.random.RandomState(3)


def mix(names):
    random.shuffle(names)


def mix_all():
    mix(FILES)


def mixed(names):
    names = list(names)
    mix(names)
    return names


class Inputs:
    def __init__(self, files):
        self.files = files

    def mix(self):
        mix(self.files)

    def size(self):
        return len(self.files)

    @queuecompat.input_pipeline
    def inputs(self):
        queue = tf.train.string_input_producer(FILES + self.files)
        _, line = tf.TextLineReader().read(queue)
{middle}        lines = tf.train.batch([line], 2)
{behind}        return lines
"""


def program(**places: str) -> str:
    """The program, with lines in front of its batcher or behind it."""
    given = {"middle": "", "behind": "", **places}
    return PROGRAM.format(**{
        place: "".join(f"        {line}\n" for line in lines.splitlines()) for place, lines in given.items()
    })  # fmt: skip


CHANGING = [
    "random.shuffle(FILES)",
    "np.random.shuffle(FILES)",
    "generator.shuffle(FILES)",
    "heapq.heapify(FILES)",
    "np.add(FILES, 1, out=FILES)",
    "mix(FILES)",
    "mix(names=FILES)",
    "mix(*[FILES])",
    "mix_all()",
    "self.mix()",
    "Inputs.mix = mix(self.files)",
    "names = FILES\nnames.sort()",
    "names = [FILES]\nrandom.shuffle(names[0])",
    "names = FILES\nnames += ['d']",
    "if self.shuffles:\n    random.shuffle(FILES)",
]


@pytest.mark.parametrize("lines", CHANGING)
def test_a_pipeline_stays_if_its_list_of_files_changes_between_producer_and_batcher(lines: str) -> None:
    """The rewrite reads the files where the batcher stood."""
    [left] = TARGETS["tf-data"](source(program(middle=lines))).left
    assert left.code == "QC744" and "after it is used" in left.what


@pytest.mark.parametrize("lines", [one for one in CHANGING if "+=" not in one])
def test_a_pipeline_stays_if_its_list_of_files_changes_after_the_batch(lines: str) -> None:
    [left] = TARGETS["tf-data"](source(program(behind=lines))).left
    assert left.code == "QC744" and "changes a part of" in left.what


@pytest.mark.parametrize("lines", ["elsewhere.prepare(FILES)", "count = elsewhere.count(FILES)", "FILES.prepare()"])
def test_a_function_of_another_file_may_change_what_it_gets(lines: str) -> None:
    [left] = TARGETS["tf-data"](source(program(middle=lines))).left
    assert "a call here may change 'FILES'" in left.what


@pytest.mark.parametrize("draw", ["random.random()", "mixed([1])"])
def test_numbers_that_python_draws_keep_their_order(draw: str) -> None:
    own, front = "line = line + str(random.random())\n", f"size = {draw}\n"
    [left] = TARGETS["tf-data"](source(program(middle=own + front))).left
    assert "a call here may change 'random'" in left.what
    assert "dataset.map(decode" in migrated(program(middle=front + own), "tf-data")


@pytest.mark.parametrize(
    "lines",
    [
        "print(FILES, len(FILES), '%d of {}'.format(FILES))\nlogging.info('%s', FILES)",
        "tf.logging.info('%s', FILES)",
        "names = mixed(FILES)\nrandom.shuffle(names)",
        "names = FILES\nnames = sorted(names)\nrandom.shuffle(names)",
        "names = FILES + ['d']\nrandom.shuffle(names)",
        "size = self.size()",
        "size = elsewhere.size(data)",
        "elsewhere.report(len(FILES))",
    ],
)
def test_calls_that_change_nothing_of_the_pipeline_go_to_the_front(lines: str) -> None:
    assert "dataset.map(" not in (after := migrated(program(middle=lines), "tf-data"))
    assert after.index(lines.splitlines()[0]) < after.index("dataset = ")
