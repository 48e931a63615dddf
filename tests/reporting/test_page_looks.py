"""The page of ``run --report page.html`` in a real browser: on a phone and on a wide screen nothing of it is cut off.

Run by ``tox -e report-looks``, which also keeps screenshots; skipped where there is no browser.
"""

from __future__ import annotations

import pathlib
import shutil
from typing import Any, Iterator

import pytest

from queuecompat.reporting import page
from queuecompat.reporting.figures import Look, Native
from queuecompat.reporting.stages import KINDS, Stage
from tests.reporting.test_figures import pipeline
from tests.site.browser import WIDTHS, cut_off, keep_picture, opened, started

pytest.importorskip("selenium")
if not shutil.which("chromium"):
    pytest.skip("needs Chromium", allow_module_level=True)

# As long as they are in projects; the longest word has no place where a line would break by itself.
LINE = "/home/someone/projects/classification/input_pipelines/imagenet_with_distortions.py:1234"
NAME = "inception_distorted_inputs/batch_processing/shuffle_batch_join_with_a_long_name"
STEPS = (
    "produce   string[]  40 epochs, reshuffled every epoch",
    "read      TFRecord",
    f"map       50 ops ({NAME}), 2 in parallel -> float32[299,299,3], int32[], string[], float32[1,?,4]",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as driver:
        yield driver


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """One of each kind: slow and with all stages, too short, native; and a list of what was skipped."""
    stages = tuple(Stage(kind, 0.5, "DecodeAndCropJpeg", NAME, 0.4, LINE, seconds_each=0.0123) for kind in KINDS)
    looks = tuple(Look(float(when), 100 * when, 0.0, {NAME: when}) for when in range(20))
    facts = dict(name=NAME, made_at=LINE, steps=STEPS, looks=looks, capacities={NAME: 20}, recorded=2.0)
    pipelines = [
        pipeline(9.0, stages=stages, **facts),
        pipeline(feeds_queue=True),
        Native(NAME, LINE, "QC203", f"QC203 cannot compile '{NAME}'\n  made at:  {LINE}\n  instead:  a number"),
    ]
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page.render(pipelines), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_the_report_is_cut_off(browser: Any, report: pathlib.Path, width: int) -> None:
    opened(browser, report, width)
    keep_picture(browser, f"report_{width}")
    assert cut_off(browser, ".queuecompat") == []


# Each row of the first table: whether its cells are beside each other, and how wide the bar is in its cell.
ROWS = """
return [...document.querySelectorAll(".queuecompat table tr")].map(row => {
  const cells = [...row.cells].map(cell => cell.getBoundingClientRect());
  return cells.every((cell, n) => !n || (cell.left >= cells[n - 1].right - 1 && cell.top === cells[n - 1].top));
})
"""
TEXTS = """
return [...document.querySelectorAll(".queuecompat td:nth-child(2), .queuecompat td:nth-child(3)")]
  .map(cell => cell.scrollWidth - cell.clientWidth)
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_shares_and_times_have_room_in_their_columns(browser: Any, report: pathlib.Path, width: int) -> None:
    opened(browser, report, width)
    assert browser.execute_script(ROWS) == [True] * 2 * len(KINDS)  # each has a row for its op and line
    assert set(browser.execute_script(TEXTS)) == {0}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_systems_scheme(browser: Any, report: pathlib.Path, scheme: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    opened(browser, report, 1280)
    keep_picture(browser, f"report_{scheme}")
    ground = browser.execute_script('return getComputedStyle(document.querySelector(".queuecompat")).backgroundColor')
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
