"""What figures say of a program, and their three forms. The figures are made up."""

from __future__ import annotations

import html.parser
import json
import platform
import re
from typing import Any, List, Optional, Tuple

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import processors
from queuecompat._plan import cache_store
from queuecompat._session.streams.throughput import Stats
from queuecompat.reporting import data, page, text
from queuecompat.reporting.caching import Cacheable
from queuecompat.reporting.figures import Look, Native, Pipeline, duration
from queuecompat.reporting.stages import Stage

STEPS = ("read      TFRecord", "map       5 ops -> float32[28,28,3], <unknown>")


# What text and bars may stand on.
GROUNDS = ("page", "box")


def pipeline(waited: float = 1.0, **facts: Any) -> Pipeline:
    # The last request met the end of the data.
    stats = Stats(count=6400, requests=51, first=0.25, seconds=10.0, waited=waited, answers=50)
    return Pipeline(**{**dict(name="batch", made_at="train.py:7", unit="examples", stats=stats, steps=STEPS), **facts})


NATIVE = Native("fed", "train.py:9", "QC203", "QC203 cannot compile 'fed' & <that>\n  instead:  a number")


@pytest.mark.parametrize(
    ("waited", "verdict"), [(0.0, "compute-bound"), (1.0, "compute-bound"), (2.0, "balanced"), (3.1, "input-bound")]
)
def test_the_verdict_follows_from_the_share_that_the_loop_waited(waited: float, verdict: str) -> None:
    assert pipeline(waited).verdict == verdict


def test_what_ran_too_briefly_gets_no_verdict() -> None:
    short = pipeline(stats=Stats(10, 1, 0.1, 0.2, 0.1, 1))
    assert (short.verdict, short.advice) == ("", None)
    assert "in too short a time" in text.render([short])


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"stats": Stats()}, "delivered nothing"),
        ({"stats": Stats(requests=1), "why_nothing": "its data ended"}, "delivered nothing: its data ended"),
        ({"stats": Stats(10, 2, 0.1, 0.2, 0.1, 1)}, "10 examples in 1 batch, in too short a time to measure the speed"),
        ({"feeds_queue": True}, "6,400 examples in 50 batches, delivered to TensorFlow's own queues"),
        ({"feeds_queue": True, "stats": Stats()}, "delivered nothing to the TensorFlow queues that it feeds"),
    ],
    ids=["nothing", "nothing and why", "too short", "fed", "nothing fed"],
)
def test_the_text_and_the_page_say_the_same_of_what_was_not_measured(facts: Any, words: str) -> None:
    # The page used to leave out where the elements of a queue's feeder went, and why there is no speed.
    one = pipeline(**facts)
    assert text.render([one]).splitlines()[2].strip() == words
    assert f"{words}." in Elements(page.render([one])).text


def test_the_advice_names_what_holds_the_pipeline_back() -> None:
    assert "would gain nothing" in str(pipeline(0.1).advice)
    assert "a Python function runs" in str(pipeline(9.0, has_python=True).advice)
    assert "its ops have seeds" in str(pipeline(9.0, is_seeded=True).advice)
    parse, read = Stage("parse", 3.0), Stage("read", 1.0)
    measured = str(pipeline(9.0, stages=(parse, read), recorded=4.0).advice)
    assert measured.startswith("'parse' is 75% of its work, on 1.0 of ")


@pytest.mark.parametrize(("each", "is_explained"), [(0.2, True), (0.1, True), (0.05, False)])
def test_work_is_not_blamed_for_a_wait_that_it_is_too_little_for(each: float, is_explained: bool) -> None:
    """With full buffers, and a model on all cores, the advice used to be more cores for the input."""
    one = pipeline(9.0, stages=(Stage("decode", 1.0, "DecodeJpeg", "jpeg", 1.0, seconds_each=each),), recorded=4.0)
    assert one.seconds_waited_each == pytest.approx(9.0 / 49)
    told = "your loop waited 184 ms for each batch, but its work takes 50.0 ms: the processors are busy"
    assert str(one.advice).startswith("decode (DecodeJpeg) is 100% of its work" if is_explained else told)


@pytest.mark.parametrize(
    ("bytes", "free", "words"),
    [
        (3_100_000_000, 10**10, "`--cache ram` (needs 3.1 GB), or use more cores"),
        (3_100_000_000, 6 * 10**9, "`--cache DIR` (needs 3.1 GB), or use more cores"),
        (None, 0, "`--cache ram`, or use more cores"),
    ],
    ids=["fits", "too large", "not known"],
)
def test_a_cache_is_advised_with_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, bytes: Optional[int], free: int, words: str
) -> None:
    monkeypatch.setattr(cache_store, "free_memory", lambda: free)
    stages = (Stage("decode", 3.0, "DecodeJpeg", "jpeg", 3.0), Stage("parse", 1.0))
    one = pipeline(9.0, stages=stages, recorded=4.0, cacheable=Cacheable({"jpeg"}, bytes))
    assert f" cores: {words}" in str(one.advice)
    [figures] = json.loads(data.render([one]))["pipelines"]
    assert figures["cache_needs_bytes"] == bytes


@pytest.mark.parametrize("stage", [Stage("decode", 3.0, "DecodeJpeg", "random_jpeg"), Stage("parse", 3.0)])
def test_no_cache_is_advised_where_it_would_not_keep_what_is_expensive(stage: Stage) -> None:
    one = pipeline(9.0, stages=(stage,), recorded=4.0, cacheable=Cacheable({"jpeg"}, 1000))
    assert "cache" not in str(one.advice)


@pytest.mark.parametrize(
    ("seconds", "recorded", "words"),
    [
        (0.7, 0.0, "the run was too short to show where the pipeline's time goes: the first recording is 1 s after"),
        (10.0, 0.0, "it is unknown where the pipeline's time goes: nothing was recorded"),
        (10.0, 0.3, "it is unknown where the pipeline's time goes: none of its work was seen in the 0.30 s"),
    ],
    ids=["too short", "not recorded", "not seen"],
)
def test_where_no_work_was_seen_no_cause_is_named(seconds: float, recorded: float, words: str) -> None:
    # The advice used to be that all cores were busy, which nothing had measured.
    stats = Stats(count=6400, requests=50, first=0.25, seconds=seconds, waited=0.2 * seconds)
    one = pipeline(stats=stats, recorded=recorded)
    [figures] = json.loads(data.render([one]))["pipelines"]
    for said in (text.render([one]), Elements(page.render([one])).text, f"balanced: {figures['advice']}"):
        assert f"balanced: your loop waited 20% of the time; {words}" in said
        assert "cores:" not in said


def _recorded() -> Pipeline:
    """640 examples a second; while it was recorded, for 2 s, a quarter of a core read and three quarters parsed."""
    stages = (
        Stage("read", 0.5, "ReadFile", "ReadFile", 0.5, "train.py:3", seconds_each=0.0006),
        Stage("parse", 1.5, seconds_each=0.15),
    )
    looks = tuple(Look(float(when), count, 0.0, {"batch": held}) for when, count, held in WATCHED)
    return pipeline(stages=stages, recorded=2.0, looks=looks, capacities={"batch": 50})


# Seconds, examples, and elements in the buffers.
WATCHED = [(0, 0, 0), (5, 4000, 50), (10, 6400, 25)]


def test_the_text_has_the_share_and_the_time_of_each_stage_and_what_buffers_held() -> None:
    lines = text.render([_recorded()]).splitlines()[4:]
    cores = processors.usable()
    assert lines == [
        f"    its work, on 1.0 of {cores} cores, 151 ms a batch, by stages:",
        "      read    25%   600 us   ReadFile, train.py:3",
        "      parse   75%   150 ms",
        "    the buffers of 'batch' held 25 of 50 elements on average, at least 0",
    ]


def test_the_data_have_the_time_of_each_stage() -> None:
    [figures] = json.loads(data.render([_recorded()]))["pipelines"]
    assert [(one["stage"], one["share"], one["seconds"], one["seconds_each"]) for one in figures["stages"]] == [
        ("read", 0.25, 0.5, 0.0006),
        ("parse", 0.75, 1.5, 0.15),
    ]
    assert figures["seconds_are_per"] == "batch"


def test_without_a_batch_during_a_recording_no_time_per_batch_is_shown() -> None:
    one = pipeline(stages=(Stage("read", 0.5),), recorded=2.0)
    assert text.render([one]).splitlines()[4:] == [
        f"    its work, on 0.2 of {processors.usable()} cores, by stages:",
        "      read  100%",
    ]
    [figures] = json.loads(data.render([one]))["pipelines"]
    assert figures["seconds_are_per"] is None and figures["stages"][0]["seconds_each"] is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2.5e-6, "2.50 us"), (0.00099951, "1.00 ms"), (0.0123, "12.3 ms"), (0.9994, "999 ms"), (0.9996, "1.00 s")],
)
def test_times_have_three_digits(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_page_has_bars_of_stages_and_curves_of_throughput_and_buffers() -> None:
    elements = Elements(page.render([_recorded()]))
    bars = [found["style"] for tag, found in elements.found if tag == "i" and found.get("class") == "share"]
    assert bars == ["width:25.0%", "width:75.0%"]
    rates, held = (found["points"] for tag, found in elements.found if tag == "polyline")
    # 800 examples a second at first, which is the most, then 480; an empty buffer, a full one, a half.
    assert rates == "50.0,2.0 100.0,41.2"
    assert held == "0.0,100.0 50.0,2.0 100.0,51.0"
    for words in (
        "ReadFile, train.py:3",
        "150 ms",
        "151 ms a batch",
        "at most 800, over 10 s",
        "buffers of 'batch', of 50",
    ):
        assert words in elements.text
    for words in (tf.__version__, queuecompat.__version__, platform.python_version()):
        assert words in elements.text


def test_figures_of_several_sessions_add_up() -> None:
    assert Stats(1, 2, 0.5, 3.0, 0.25, 1) + Stats(10, 20, 1.0, 4.0, 0.5, 19) == Stats(11, 22, 1.5, 7.0, 0.75, 20)


def test_the_text_counts_examples_and_batches() -> None:
    lines = text.render([pipeline(4.0), NATIVE]).splitlines()
    assert lines[1:4] == [
        "  'batch': compiled to tf.data, made at train.py:7",
        "    6,400 examples in 50 batches, the first after 0.25 s; then 640 examples a second (5.0 batches); "
        "the training loop waited 4.0 s of 10.0 s (40%)",
        f"    input-bound: {pipeline(4.0).advice}",
    ]
    assert lines[4] == "  'fed': native (on TensorFlow's own queues), made at train.py:9"


def test_the_data_are_complete() -> None:
    report = json.loads(data.render([pipeline(4.0), NATIVE]))
    assert report["versions"].keys() == {"queuecompat", "tensorflow", "python"}
    assert report["machine"]["cores"] >= 1
    compiled, native = report["pipelines"]
    assert compiled["steps"] == list(STEPS)
    assert (compiled["delivered"], compiled["batches"], compiled["requests"]) == (6400, 50, 51)
    assert compiled["rate"] == 640.0 and compiled["why_nothing"] is None
    assert (compiled["verdict"], native["code"]) == ("input-bound", "QC203")


class Elements(html.parser.HTMLParser):
    """The elements of a page, with attributes, and its text; fails where an end is missing or too much."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.open: List[str] = []
        self.found: List[Tuple[str, Any]] = []
        self.text = ""
        self.feed(written)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        self.text += text


def test_the_page_needs_no_network_and_says_everything() -> None:
    elements = Elements(page.render([pipeline(4.0), NATIVE]))
    assert not [attributes for _, attributes in elements.found if "src" in attributes or "href" in attributes]
    assert "url(" not in elements.text and "@import" not in elements.text
    for words in (*STEPS, "input-bound", "QC203 cannot compile 'fed' & <that>", "train.py:7", "6,400 examples"):
        assert words in elements.text
    bars = [attributes["style"] for tag, attributes in elements.found if tag == "span" and "style" in attributes]
    assert bars == ["width:40.0%", "width:60.0%"]


def test_the_page_has_a_dark_scheme_and_fits_narrow_screens() -> None:
    written = page.render([pipeline()])
    assert "prefers-color-scheme: dark" in written
    assert 'name="viewport" content="width=device-width' in written and "overflow-wrap" in written


def luminance(colour: str) -> float:
    """As WCAG 2 defines it, of '#rrggbb'."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_can_be_read_in_both_schemes(scheme: str) -> None:
    style = page.render([pipeline()])
    light, dark = re.findall(r"--text.*?(?=\})", style, re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", light if scheme == "light" else dark))
    # Text has one of these colours and stands on one of these; as WCAG 2 asks for, at level AA.
    assert set(re.findall(r"[{; ]color: var\(--(\w+)\)", style)) == {"text", "quiet"}
    assert all(contrast(colours[text], colours[ground]) >= 4.5 for text in ("text", "quiet") for ground in GROUNDS)
    # Bars and lines.
    assert all(contrast(colours[bar], colours[ground]) >= 3 for bar in ("wait", "work") for ground in GROUNDS)
    assert not re.findall(r"color: (?!var|inherit|dark)", style)
    # What is around the report is as it is.
    around = re.findall(r"html \{ background: (#\w{6})", style)
    assert around[scheme == "dark"] == colours["page"]


def test_without_pipelines_all_forms_say_so() -> None:
    assert "no input pipeline" in text.render([])
    assert "no input pipeline" in page.render([])
    assert json.loads(data.render([]))["pipelines"] == []
