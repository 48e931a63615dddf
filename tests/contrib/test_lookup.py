"""``tf.contrib.lookup`` in pipelines and in eager mode."""

from __future__ import annotations

import pathlib

import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.forking import Server
from tests.pipelines.running import drain

lookup = tf.contrib.lookup


@pytest.mark.parametrize("buckets", [0, 4])
def test_a_table_is_compiled_with_the_pipeline_that_asks_it(buckets: int) -> None:
    table = lookup.index_table_from_tensor(["a", "b", "c"], num_oov_buckets=buckets)
    word = tf.train.slice_input_producer([["c", "x", "a"]], num_epochs=1, shuffle=False)[0]
    (ids,) = drain(tf.train.batch([table.lookup(word)], 3))
    assert (ids[0], ids[2]) == (2, 0)
    assert ids[1] in range(3, 7) if buckets else ids[1] == -1
    assert not queuecompat.explain().native


def test_a_table_is_filled_by_the_initializer_of_all_tables_and_by_its_own() -> None:
    tables = [lookup.index_table_from_tensor(["a"]), lookup.index_table_from_tensor(["b"], 2)]
    sizes = [table.size() for table in tables]
    with tf.Session() as sess:
        sess.run([table.init for table in tables])
        assert sess.run(sizes) == [1, 3]
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        assert sess.run(sizes) == [1, 3]


def test_an_unknown_hasher_is_refused_at_the_lookup() -> None:
    table = lookup.IdTableWithHashBuckets(None, 2, lookup.HasherSpec("none", None))
    with pytest.raises(ValueError, match="'none'"):
        table.lookup(tf.constant(["a"]))


@pytest.mark.parametrize("name", ["LookupInterface", "TableInitializerBase", "x"])
def test_a_removed_name_says_why(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"QC511 'tf\.contrib\.lookup\.{name}' was not found: \w+"):
        getattr(lookup, name)


def test_in_eager_mode_tables_are_filled_at_once(tmp_path: pathlib.Path, server: Server) -> None:
    code = """
import tensorflow as tf
from queuecompat.contrib import lookup
asked = tf.constant(["b", "z"])
assert lookup.index_table_from_tensor(["a", "b"]).lookup(asked).numpy().tolist() == [1, -1]
assert lookup.index_table_from_tensor(["a", "b"], 1).lookup(asked).numpy().tolist() == [1, 2]
"""
    ran = server.run(["-c", code], str(tmp_path))
    assert ran.exit_code == 0, ran.err
