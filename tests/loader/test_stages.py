"""Where workers' time goes, and the timeline of it."""

from __future__ import annotations

import pathlib
import sys
import threading
import types
from typing import Any, List

import pytest
from PIL import Image

import queuecompat
from queuecompat import BackgroundLoader
from queuecompat.loader import stage
from queuecompat.loader.metrics import stages
from queuecompat.loader.metrics.stages import Span, StageClock
from queuecompat.loader.metrics.timeline import Timeline
from tests.loader import loads
from tests.loader.images.specimens import encoded, photograph
from tests.loader.sources import lists


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """The clock that stages are measured with, set by hand."""
    now = [100.0]
    monkeypatch.setattr(stages, "time", types.SimpleNamespace(perf_counter=lambda: now[0]))
    return now


def test_a_worker_is_in_one_stage_at_a_time(ticks: List[float]) -> None:
    with stages.clocked(StageClock("wait")) as clock:
        ticks[0] += 1
        with stage("load"):
            ticks[0] += 2
            with stage("read"):
                ticks[0] += 4
                with stage("decode"):
                    ticks[0] += 8
                ticks[0] += 16
            ticks[0] += 32
    assert clock.seconds == {"wait": 1, "load": 34, "read": 20, "decode": 8}
    assert sum(clock.seconds.values()) == ticks[0] - 100


def test_a_stage_ends_with_an_exception_too_and_does_nothing_outside_of_a_worker(ticks: List[float]) -> None:
    with stages.clocked(StageClock("wait")) as clock:
        with pytest.raises(ValueError, match="x"), stage("read"):
            ticks[0] += 1
            raise ValueError("x")
        ticks[0] += 2
    assert clock.seconds == {"read": 1, "wait": 2}
    with stage("read"):
        pass


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_statistics_have_the_stages_of_all_workers(workers: str) -> None:
    loader = BackgroundLoader(range(12), loads.in_stages, batch_size=4, num_workers=2, workers=workers, num_epochs=2)
    lists(loader)
    found = loader.statistics().stages
    assert found["parse"] >= 24 * 0.002 and found["read"] > 0 and found["load"] > 0
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert "parse " in str(loader.statistics())


def test_what_makes_batches_is_a_stage() -> None:
    loader = BackgroundLoader(range(8), batch_size=4, batch_transform=lambda batch: batch + 1)
    lists(loader)
    assert loader.statistics().stages["batch"] > 0


def test_images_are_read_decoded_and_augmented(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(photograph(), "PNG"))
    loader = queuecompat.ImageListLoader(
        [(tmp_path / "a.png", 0)] * 8, crop=16, subtract_mean=False, batch_size=4, num_workers=2
    )
    list(loader)
    assert {"read", "decode", "augment"} <= set(loader.statistics().stages)
    assert {"read", "decode", "augment"} <= {span.stage for row in loader.timeline().workers.values() for span in row}


def test_a_timeline_has_what_workers_buffer_and_consumer_did() -> None:
    loader = BackgroundLoader(range(40), loads.in_stages, batch_size=4, num_workers=2, capacity=12)
    for _ in range(2):
        lists(loader)
    line = loader.timeline()
    assert list(line.workers) == [0, 1] and line.capacity == 12
    for spans in (*line.workers.values(), line.consumer):
        assert all(one.begin <= one.end <= two.begin for one, two in zip(spans, spans[1:]))
    assert [span.stage for span in line.consumer] == ["wait", "use"] * 19 + ["wait"]
    assert len(line.buffer) == 20 and all(0 <= fill <= 12 for _, fill in line.buffer)


def test_a_timeline_keeps_the_last_events_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_MOST_SPANS", 10)
    loader = BackgroundLoader(range(5000), batch_size=1, num_workers=1)
    lists(loader)
    assert len(loader.timeline().workers[0]) <= 10
    assert len(loader.timeline().buffer) == 4000
    assert not loader._counters.stages._clocks  # those of workers that have ended


def test_a_timeline_is_drawn_with_a_row_for_each_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Figure.install(monkeypatch)
    line = Timeline(
        {0: [Span("wait", 10.0, 11.0), Span("mine", 11.0, 13.0)], 1: [Span("decode", 11.0, 12.0)]},
        [Span("wait", 10.5, 12.5)],
        [(10.5, 0), (12.5, 3)],
        8,
    )
    line.save("line.svg")
    above = [call for call in drawn if call[0] == "broken_barh"]
    assert [call[1][0] for call in above] == [[(0.0, 1.0), (1.0, 2.0)], [(1.0, 1.0)], [(0.5, 2.0)]]
    assert ("set_yticks", (range(3), ["worker 0", "worker 1", "consumer"])) in drawn
    assert ("step", ([0.5, 2.5], [0, 3])) in drawn
    assert ("savefig", ("line.svg",)) in drawn


def test_without_matplotlib_the_numbers_are_there_and_a_picture_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    loader = BackgroundLoader(range(8), batch_size=4)
    lists(loader)
    with pytest.raises(RuntimeError, match=r"QC644 .*matplotlib"):
        loader.timeline().save("line.png")


def test_matplotlib_draws_it(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    loader = BackgroundLoader(range(8), loads.in_stages, batch_size=4)
    lists(loader)
    loader.timeline().save(tmp_path / "line.png")
    with Image.open(tmp_path / "line.png") as picture:
        colours = picture.convert("RGB").getcolors(1 << 24)
    # Bars of stages, the line of the buffer, text: not an empty sheet.
    assert len([count for count, _ in colours if count > 20]) > 5


class Figure:
    """In the place of matplotlib's: notes what is called."""

    def __init__(self, calls: List[Any]) -> None:
        self._calls = calls

    @classmethod
    def install(cls, monkeypatch: pytest.MonkeyPatch) -> List[Any]:
        calls: List[Any] = []
        module = types.ModuleType("matplotlib.figure")
        module.Figure = lambda **_: cls(calls)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
        monkeypatch.setitem(sys.modules, "matplotlib.figure", module)
        return calls

    def subplots(self, *_: Any, **__: Any) -> Any:
        return self, self

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **_: self._calls.append((name, arguments))


def test_the_seconds_of_workers_are_not_lost_when_a_pass_is_left() -> None:
    loader = BackgroundLoader(range(100), loads.in_stages, batch_size=4, num_workers=2)
    for _ in loader:
        break
    assert loader.statistics().stages["parse"] > 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("queuecompat-loader")]
