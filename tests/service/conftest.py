from __future__ import annotations

from typing import Iterator, List

import pytest
import tensorflow as tf

from tests.service.cluster import Cluster

FILES, RECORDS = 12, 25


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A dispatcher and two workers; not for tests that end any of them."""
    made = Cluster(tmp_path_factory.mktemp("cluster") / "processes")
    yield made
    made.end()


@pytest.fixture(scope="package")
def files(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    """Names of files in which the numbers from 0 to 299 follow each other."""
    folder = tmp_path_factory.mktemp("files")
    names = [str(folder / f"{number:02d}") for number in range(FILES)]
    for number, name in enumerate(names):
        with tf.io.TFRecordWriter(name) as writer:
            for record in range(RECORDS):
                writer.write(b"%d" % (number * RECORDS + record))
    return names
