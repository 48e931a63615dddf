"""The data that all programs read: written once."""

from __future__ import annotations

import pytest

from tests.scripts import data


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("data"))
    data.write_all(folder)
    return folder
