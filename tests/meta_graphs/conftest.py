"""Every test here runs in eager mode, in the folder that the recorded graphs find their files from."""

from __future__ import annotations

import pathlib

import pytest

from tests.queues.modes import eagerly as graph

__all__ = ["graph", "in_the_folder_of_the_data"]


@pytest.fixture(autouse=True)
def in_the_folder_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pathlib.Path(__file__).parent)
