"""What the guide says was measured is what its scripts measured, and what they measure today."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any, List

from tests.guide.blocks import GUIDE, ROOT

PICTURES = GUIDE / "pictures"


def recorded(name: str) -> Any:
    return json.loads((PICTURES / f"{name}.json").read_text(encoding="utf-8"))


def table(page: str) -> List[List[str]]:
    """The cells of the page's rows that end in a figure."""
    rows = [line.strip("| ").split(" | ") for line in (GUIDE / page).read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if len(row) > 1 and re.fullmatch(r"[\d.]+", row[-1])]


def measured(code: str) -> Any:
    """What *code*, run in eager mode beside the scripts, prints as JSON."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PICTURES), str(ROOT)]), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=200, env=environment
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return json.loads(done.stdout)


def test_the_page_on_shuffling_says_what_was_measured_and_what_the_picture_shows() -> None:
    figures = recorded("mixing")
    assert [int(row[-1]) for row in table("shuffling.md")] == list(figures.values())
    full, _, _, minimum = figures.values()
    assert f"shuffles {full / minimum:.1f} times less" in (GUIDE / "shuffling.md").read_text(encoding="utf-8")
    drawn = re.findall(r"mixing (\d+)<", (PICTURES / "mixing.svg").read_text(encoding="utf-8"))
    assert list(map(int, drawn)) == list(figures.values())


def test_the_page_on_shards_says_what_was_measured() -> None:
    said = [[float(cell) for cell in row[-2:]] for row in table("shards.md")]
    assert said == [[way["mean"], way["last"]] for way in recorded("shards").values()]


def test_a_full_queue_mixes_as_shuffle_of_its_capacity_does() -> None:
    figures = measured("import json, mixing; print(json.dumps(mixing.mixing(mixing.measure(3000))))")
    full, waiting, capacity, minimum = figures.values()
    assert 0.75 < capacity / full < 1.33, figures
    assert 0.75 < minimum / waiting < 1.33, figures
    assert full > 3 * minimum, figures


def test_unequal_shards_bias_what_they_are_said_to_bias() -> None:
    figures = measured("import json, shards; print(json.dumps(shards.measure(5)))")
    for way, then in recorded("shards").items():
        assert abs(figures[way]["mean"] - then["mean"]) < 0.1, (way, figures)


def test_the_picture_of_the_image_steps_is_what_its_script_draws() -> None:
    code = "import image_steps, json; print(json.dumps(image_steps.picture()))"
    assert measured(code) == (PICTURES / "image_steps.svg").read_text(encoding="utf-8")
