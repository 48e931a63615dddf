"""The benchmark compares like with like, and its arithmetic is right."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
from typing import Any

import pytest
import tensorflow as tf

from queuecompat import v1
from queuecompat._session.streams import throughput

from . import data, report, report_cost
from .catalogue import SLICES, WORKLOADS
from .rounds import ROOT, rotated
from .slices import __main__ as slices
from .slices import share
from .workload import Workload

SIDES = ["native", "tf.data", "best"]
WITHOUT_RANDOM_OPS = ("digits", "people", "sentences", "videos")


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Any:
    data_dir = tmp_path_factory.mktemp("bench")
    return json.loads(_run("tests.bench.delivery", str(data_dir)))


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("other", SIDES)
def test_every_side_delivers_the_same_batches(output: Any, workload: str, other: str) -> None:
    sides = output["delivered"][workload]
    assert len(sides["ours"]["batches"]) == 2
    assert sides["ours"]["batches"] == sides[other]["batches"]  # shapes and dtypes
    assert sides["ours"]["labels"] == sides[other]["labels"]


@pytest.mark.parametrize("workload", ["arrays-batch", "arrays-shuffle"])
@pytest.mark.parametrize("other", SIDES)
def test_without_random_work_every_side_delivers_the_same_examples(output: Any, workload: str, other: str) -> None:
    sides = output["delivered"][workload]
    assert sides["ours"]["examples"] == sides[other]["examples"]


@pytest.mark.parametrize("side", ["ours", *SIDES])
def test_every_image_of_records_is_a_crop_of_a_record_with_its_own_label(output: Any, side: str) -> None:
    allowed = {tuple(crop) for crop in output["record_crops"]}
    examples = {tuple(example) for example in output["delivered"]["records"][side]["examples"]}
    assert len(examples) == 2 * WORKLOADS["records"].batch_size
    assert examples <= allowed


@pytest.mark.parametrize("name", SLICES)
def test_every_side_of_a_slice_delivers_the_same_batches(output: Any, name: str) -> None:
    of_sides = output["slices"][name]
    ours = of_sides["ours"]
    assert [count for count, *_ in ours] == [4] * len(ours)
    for other in ("native", "tf.data"):
        assert [one[:3] for one in of_sides[other]] == [one[:3] for one in ours]
        if name in WITHOUT_RANDOM_OPS:
            assert [one[3] for one in of_sides[other]] == pytest.approx([one[3] for one in ours])


def test_a_run_of_slices_prints_a_line_for_each_with_what_runs_once_per_batch(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "slices.json"
    assert slices.main(["--quick", "--slice=sentences", f"--json={file}"]) == 0
    [line] = capfd.readouterr().out.splitlines()[2:]
    assert line.startswith("| lines of words, padded | ") and line.endswith(" | none | StringSplit |")
    record = json.loads(file.read_text())["slices"]
    assert set(record["sentences"]["rounds"][0]) == {"ours/2", "native/2", "tf.data"}


@pytest.mark.parametrize(
    ("maps", "ops", "held_back_by"),
    [
        (["map 5 ops (Cast), on whole batches -> int64[32]"], "all", []),
        (["map 5 ops (Cast), one by one -> int64[32]"], "none", []),
        (
            [
                "map 3 ops (Abs), one by one -> int64[]",
                "map 2 ops, on whole batches; batched: 2 of 5 ops; QC309 Abs (a",
            ],
            "2 of 5",
            ["Abs"],
        ),
    ],
)
def test_the_share_of_ops_is_what_explain_says(maps: list[str], ops: str, held_back_by: list[str]) -> None:
    assert share.share_of("\n".join(f"  {n}  {line}" for n, line in enumerate(maps))) == share.Share(ops, held_back_by)


def test_a_run_measures_each_side_and_writes_what_it_prints(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "bench.json"
    printed = _run("tests.bench", "--quick", "--workload=arrays-batch", f"--json={file}")
    record = json.loads(file.read_text())
    assert set(record["machine"]) == {"cores", "processor", "system"}
    (result,) = record["workloads"].values()
    assert set(result["medians"]) == {"ours/2", "native/2", "tf.data", "best"}
    assert all(timing["wall_us"] > 0 for timing in result["medians"].values())
    assert set(result["ratios"]["ours/2"]) == {"native", "tf.data", "best"}
    assert all(f"\n  {side} " in printed for side in result["medians"])
    assert result["versions"]["tensorflow"] in printed


def _round(**walls: float) -> dict[str, dict[str, float]]:
    names = {"ours": "ours/2", "native": "native/2", "data": "tf.data", "best": "best"}
    return {names[key]: {"wall_us": wall} for key, wall in walls.items()}


def test_data_that_another_process_has_made_meanwhile_are_taken(tmp_path: pathlib.Path) -> None:
    """Two runs at once on one folder."""
    directory = tmp_path / "data"

    def fill(unfinished: pathlib.Path) -> None:
        for folder in (unfinished, directory):
            folder.mkdir(exist_ok=True)
            (folder / "file").write_text("text")

    assert data.filled(directory, fill) == [str(directory / "file")]
    assert list(tmp_path.iterdir()) == [directory]


def test_a_ratio_is_the_median_of_the_ratios_within_a_round() -> None:
    # The machine was three times slower in the second round, which is no news about the sides.
    rounds = [_round(ours=1, native=2), _round(ours=3, native=6), _round(ours=1.5, native=2)]
    assert report.ratios(rounds) == {"ours/2": {"native": 0.5}}


def test_native_is_compared_at_the_same_number_of_threads() -> None:
    timing = {"wall_us": 1.0}
    assert report.ratios([{"ours/1": timing, "native/2": timing}]) == {"ours/1": {}}


@pytest.mark.parametrize(
    ("walls", "kinds"),
    [
        ({"ours": 1.04, "native": 1.0, "data": 1.0, "best": 0.1}, []),
        ({"ours": 1.06, "native": 1.0, "data": 1.0, "best": 0.1}, ["native"]),
        ({"ours": 1.11, "native": 2.0, "data": 1.0, "best": 0.1}, ["tf.data"]),
    ],
)
def test_a_side_beyond_its_limit_is_named(walls: dict[str, float], kinds: list[str]) -> None:
    lines = report.violations("records", report.ratios([_round(**walls)]))
    assert [line.split(" as long as ")[1].split(";")[0] for line in lines] == kinds


def test_the_check_ends_with_1_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from . import __main__ as command

    slow = {"versions": {"tensorflow": "2", "python": "3"}, "ratios": {"ours/2": {"native": 2.0}}}
    monkeypatch.setattr(command, "measured", lambda *_: slow)
    assert command.main(["--workload", "records"]) == 0
    assert command.main(["--workload", "records", "--check"]) == 1


def test_each_side_runs_first_in_some_round() -> None:
    names = ["a", "b", "c", "d"]
    orders = [rotated(names, number) for number in range(8)]
    assert {order[0] for order in orders} == set(names)
    assert all(sorted(order) == names for order in orders)


def test_the_benchmark_of_a_start_says_how_much_of_native_time_ours_takes(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "startup.json"
    printed = _run("tests.bench.startup", "--turns=1", "--program=slices", "--model=20", f"--json={file}")
    record = json.loads(file.read_text())
    (result,) = record["programs"].values()
    assert record["total_ratio"] == pytest.approx(result["ours"]["cpu"] / result["native"]["cpu"])
    assert set(result["ours"]["parts"]) == {"build", "start", "first", "end"}
    assert f"ours takes {record['total_ratio']:.2f} times" in printed


def test_the_benchmark_of_a_report_measures_what_batches_and_recordings_take(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "report_cost.json"
    words = ["--quick", "--turns=2", "--recordings=1", "--seconds=0.3", "--workload=arrays-batch", f"--json={file}"]
    done = report_cost.main(words)
    record = json.loads(file.read_text())
    cost = report_cost.Cost(**record["workloads"]["arrays-batch"])
    assert len(record["each_batch"]) == 2
    assert len(cost.batches) == 1 and cost.batches[0] > 0
    assert len(cost.lost) == 1 and cost.lost[0] < 1
    assert done == int(cost.of_run(statistics.median(record["each_batch"]), 60) > report_cost.LIMIT)


def test_the_cost_of_a_report_is_computed_from_the_medians_of_batches_and_recordings() -> None:
    cost = report_cost.Cost(batches=[0.01, 0.9, 0.001], lost=[0.1, 0.2, 0.9])
    assert cost.of_batches(0.002) == pytest.approx(10 / 8)
    assert cost.of_run(0.002, 10) == pytest.approx(10 / 8 + 3 * 0.2 / 10)  # after 1, 3 and 9 seconds
    assert cost.of_run(0.002, 60) == pytest.approx(10 / 8 + 4 * 0.2 / 60)


def test_a_report_adds_the_same_ops_to_each_batch_of_any_workload(tmp_path: pathlib.Path) -> None:
    works = {"ones": report_cost.ONES, **{name: WORKLOADS[name] for name in ("records", "jpeg", "arrays-shuffle")}}
    added = {name: _ops_of_a_report(work, tmp_path) for name, work in works.items()}
    assert added["ones"]["Timestamp"]
    more = {name: dict(ops - added["ones"]) for name, ops in added.items()}
    fewer = {name: dict(added["ones"] - ops) for name, ops in added.items()}
    assert more == fewer == {name: {} for name in added}


def _ops_of_a_report(work: Workload, folder: pathlib.Path) -> collections.Counter[str]:
    """The types of ops that run for each batch because a report was asked for."""
    loaded = work.load(folder, 256)
    with tf.Graph().as_default():
        plain = _ops_of_a_batch(work.queues(v1, loaded, num_threads=2, num_epochs=None))
    throughput.measure(True)
    with tf.Graph().as_default():
        watched = _ops_of_a_batch(work.queues(v1, loaded, num_threads=2, num_epochs=None))
    throughput.measure(False)
    return watched - plain


def _ops_of_a_batch(tensors: Any) -> collections.Counter[str]:
    """Those that a step with *tensors* runs, and its pipeline's start and functions, but for those that do nothing."""
    graph = tf.compat.v1.graph_util.extract_sub_graph(
        tensors[0].graph.as_graph_def(), [tensor.op.name for tensor in tensors]
    )
    inner = [node.op for function in graph.library.function for node in function.node_def]
    found = collections.Counter([node.op for node in graph.node] + inner)
    return collections.Counter({op: count for op, count in found.items() if op not in ("Const", "Identity", "NoOp")})
