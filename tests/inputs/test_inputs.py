"""Input files of 2017 in a program of TensorFlow 2: they deliver what they deliver when they are run.

Each way is one program, which does all files; what it writes is compared here.
"""

from __future__ import annotations

import os
import pathlib
import shutil
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

from queuecompat.migrate import commands
from tests.forking import Server
from tests.inputs import data
from tests.inputs.catalogue import FILES, PIPELINES, WAYS

PROGRAM = pathlib.Path(__file__).with_name("elements.py")
# A test may be the one that waits for two of the programs.
pytestmark = pytest.mark.timeout(600)
# Of all files together, on a busy machine.
DEADLINE_SECONDS = 250
Arrays = Dict[str, np.ndarray]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("data"))
    data.write_all(folder)
    return folder


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The files after ``migrate --to v1 --write``."""
    folder = tmp_path_factory.mktemp("migrated") / "files"
    shutil.copytree(FILES, folder)
    assert commands.migrate([str(folder)], "v1", writes=True) == 0
    return str(folder)


@pytest.fixture(scope="module")
def arrays_of(
    server: Server, data_dir: str, migrated: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Arrays]:
    """What a way delivers; each is asked once."""
    done: Dict[str, Arrays] = {}

    def arrays(way: str) -> Arrays:
        if way not in done:
            scratch = str(tmp_path_factory.mktemp(way))
            out = os.path.join(scratch, "elements.npz")
            command = [str(PROGRAM), way, migrated if way == "migrated" else FILES, data_dir, out]
            launcher = ["run", "--strict"] if way == "run" else []
            ran = server.run(command, scratch, launcher=launcher, deadline=DEADLINE_SECONDS)
            done[way] = {place: np.array(ran.err) for place in PIPELINES}
            if ran.exit_code == 0:
                with np.load(out) as file:
                    done[way] = dict(file)
        return done[way]

    return arrays


def elements(arrays: Arrays, place: str) -> List[Any]:
    assert place not in arrays, str(arrays[place])
    found = {name[len(place) + 1 :]: value for name, value in arrays.items() if name.startswith(place + "/")}
    if not PIPELINES[place].is_shuffled:
        return sorted(found.items())
    leaves = sorted({name.partition("/")[2] for name in found})
    steps = range(len(found) // len(leaves))
    columns = [np.concatenate([found[f"{step}/{leaf}"] for step in steps]) for leaf in leaves]
    return sorted(b"".join(value.tobytes() for value in row) for row in zip(*columns))


@pytest.mark.parametrize(("way", "place"), [(way, place) for way, places in WAYS.items() for place in places])
def test_an_input_file_delivers_what_it_delivers_when_it_is_run(
    way: str, place: str, arrays_of: Callable[[str], Arrays]
) -> None:
    expected, found = elements(arrays_of("run"), place), elements(arrays_of(way), place)
    assert expected
    if PIPELINES[place].is_shuffled:
        assert found == expected
        return
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, given), (_, wanted) in zip(found, expected):
        assert (given.dtype.kind, given.shape) == (wanted.dtype.kind, wanted.shape), name
        np.testing.assert_array_equal(given, wanted, err_msg=name)
