"""``tf.contrib.lookup``: indices of words, words of indices, buckets for the others."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_call, error_at_run, gold, static_shape, temporary_directory, word, words

__all__: list[str] = []

_WORDS = ["ant", "bee", "cat", "dog"]
_ASKED = np.array([["cat", "cow", "ant"], ["dog", "emu", ""]])


def _found(tf: Any, build: Callable[[], Dict[str, Any]]) -> Result:
    """The values of what *build* returns, tables filled."""
    with tf.Graph().as_default():
        fetches = build()
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            values = session.run(fetches)
    return {name: np.array(_fixed(value)) for name, value in values.items()}


def _fixed(value: Any) -> Any:
    """Texts in an array that needs no pickle."""
    return value.astype("S") if isinstance(value, np.ndarray) and value.dtype.kind == "O" else value


def _vocabulary(folder: str) -> str:
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as file:
        file.write("\n".join(_WORDS) + "\n")
    return path


@gold
def words_have_the_indices_that_they_had(tf: Any) -> Result:
    lookup = tf.contrib.lookup
    with temporary_directory() as folder:
        path = _vocabulary(folder)

        def build() -> Dict[str, Any]:
            asked = tf.constant(_ASKED)
            tables = {
                "from_tensor": lookup.index_table_from_tensor(_WORDS),
                "default": lookup.index_table_from_tensor(tf.constant(_WORDS), default_value=9, name="named"),
                "buckets": lookup.index_table_from_tensor(_WORDS, num_oov_buckets=5),
                "strong": lookup.index_table_from_tensor(
                    _WORDS, num_oov_buckets=50, hasher_spec=lookup.StrongHashSpec([3, 4])
                ),
                "legacy": lookup.index_table_from_tensor(_WORDS, 50, hasher_spec=lookup.HasherSpec("legacy", None)),
                "from_file": lookup.index_table_from_file(path),
                "from_file_buckets": lookup.index_table_from_file(path, 7),
                "part_of_the_file": lookup.index_table_from_file(path, vocab_size=3, default_value=-2),
                "old_from_file": lookup.string_to_index_table_from_file(path, 2),
                "old_from_tensor": lookup.string_to_index_table_from_tensor(_WORDS, 2),
                "buckets_alone": lookup.IdTableWithHashBuckets(None, 20),
            }
            outputs = {name: table.lookup(asked) for name, table in tables.items()}
            outputs.update({f"{name}_size": table.size() for name, table in tables.items()})
            outputs["at_once"] = lookup.string_to_index(asked, _WORDS, default_value=-5)
            return outputs

        return _found(tf, build)


@gold
def indices_have_the_words_that_they_had(tf: Any) -> Result:
    lookup = tf.contrib.lookup
    with temporary_directory() as folder:
        path = _vocabulary(folder)
        numbers = np.array([[3, 0], [4, -1]], np.int64)

        def build() -> Dict[str, Any]:
            asked = tf.constant(numbers)
            return {
                "from_tensor": lookup.index_to_string_table_from_tensor(_WORDS).lookup(asked),
                "default": lookup.index_to_string_table_from_tensor(tf.constant(_WORDS), "?").lookup(asked),
                "from_file": lookup.index_to_string_table_from_file(path).lookup(asked),
                "part": lookup.index_to_string_table_from_file(path, vocab_size=2, name="named").lookup(asked),
                "at_once": lookup.index_to_string(asked, _WORDS),
            }

        return _found(tf, build)


@gold
def integers_and_columns_are_vocabularies_too(tf: Any) -> Result:
    lookup = tf.contrib.lookup
    with temporary_directory() as folder:
        path = os.path.join(folder, "table.csv")
        with open(path, "w") as file:
            file.write("ant,30\nbee,20\ncat,10\n")
        numbers = os.path.join(folder, "numbers.txt")
        with open(numbers, "w") as file:
            file.write("7\n5\n")

        def build() -> Dict[str, Any]:
            asked = tf.constant([5, 6, 7], tf.int32)
            texts = tf.constant(["bee", "fly"])
            columns = {"key_column_index": 0, "value_column_index": 1, "delimiter": ","}
            names = lookup.TextFileStringTableInitializer(path, key_column_index=1, value_column_index=0, delimiter=",")
            return {
                "numbers": lookup.index_table_from_tensor([7, 5], dtype=tf.int32, num_oov_buckets=10).lookup(asked),
                "numbers_of_file": lookup.index_table_from_file(numbers, 3, key_dtype=tf.int32).lookup(asked),
                "columns": lookup.index_table_from_file(path, **columns).lookup(texts),
                "column_of_words": lookup.HashTable(names, "?").lookup(tf.constant([10, 15], tf.int64)),
                "ids": lookup.HashTable(lookup.TextFileIdTableInitializer(path, 0, delimiter=","), -1).lookup(texts),
                "any": lookup.HashTable(
                    lookup.TextFileInitializer(path, tf.int64, 1, tf.int64, lookup.TextFileIndex.LINE_NUMBER, 3, ","), 8
                ).lookup(tf.constant([20, 21], tf.int64)),
            }

        return _found(tf, build)


@gold
def sparse_words_have_sparse_indices(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        sparse = tf.SparseTensor([[0, 1], [1, 0]], tf.constant(["bee", "cow"]), [2, 2])
        found = tf.contrib.lookup.index_table_from_tensor(_WORDS, 3).lookup(sparse)
        return {"values": found.values, "indices": found.indices, "shape": found.dense_shape}

    return _found(tf, build)


@gold
def a_hash_table_is_what_it_was(tf: Any) -> Result:
    lookup = tf.contrib.lookup
    with tf.Graph().as_default():
        pairs = lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1.5, 2.5]))
        table = lookup.HashTable(pairs, 0.5)
        named = lookup.HashTable(lookup.KeyValueTensorInitializer([1], ["x"], tf.int64, tf.string), "?", name="mine")
        found = table.lookup(tf.constant(["b", "c"]))
        shared = [
            lookup.HashTable(lookup.KeyValueTensorInitializer(["k"], [value]), -1, shared_name="both")
            for value in (7, 7)
        ]
        keys, values = table.export()
        in_second = shared[1].lookup(tf.constant(["k"]))
        with tf.Session() as session:
            too_early = error_at_run(lambda: session.run(found))
            session.run(table.init)
            session.run(shared[0].init)
            exported = session.run([keys, values])
            order = np.argsort(exported[0])
            return {
                "names": words([table.name, named.name]),
                "types": words([table.key_dtype.name, table.value_dtype.name, named.key_dtype.name]),
                "too_early": too_early,
                "found": session.run(found),
                "size": session.run(table.size()),
                "default": session.run(table.default_value),
                "static": static_shape(found),
                "shared": session.run(in_second),
                "exported_keys": exported[0][order].astype("S"),
                "exported_values": exported[1][order],
                "initializers": np.array(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS))),
            }


@gold
def mutable_tables_are_what_they_were(tf: Any) -> Result:
    lookup = tf.contrib.lookup
    with tf.Graph().as_default():
        table = lookup.MutableHashTable(tf.string, tf.int64, -1)
        dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-9, checkpoint=False)
        keys = tf.constant(["a", "b"])
        insert, found = table.insert(keys, tf.constant([5, 6], tf.int64)), table.lookup(tf.constant(["b", "z"]))
        fill, remove = dense.insert([3, 4], [30, 40]), dense.remove(tf.constant([3], tf.int64))
        left = dense.lookup(tf.constant([3, 4], tf.int64))
        with tf.Session() as session:
            session.run([insert, fill])
            session.run(remove)
            return {
                "found": session.run(found),
                "left": session.run(left),
                "sizes": np.array([session.run(table.size()), session.run(dense.size())]),
                "saved": np.array(len(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS))),
            }


@gold
def tables_refuse_what_they_refused(tf: Any) -> Result:
    lookup = tf.contrib.lookup

    def texts() -> Any:
        return lookup.HashTable(lookup.KeyValueTensorInitializer([1], ["x"], tf.int64, tf.string), "?")

    calls: Dict[str, Callable[[], Any]] = {
        "no_mapping": lambda: lookup.index_table_from_tensor(None),
        "no_words": lambda: lookup.index_to_string_table_from_tensor(None),
        "no_file": lambda: lookup.index_table_from_file(),
        "an_empty_file_name": lambda: lookup.index_table_from_file(""),
        "no_file_of_words": lambda: lookup.index_to_string_table_from_file(""),
        "fewer_than_no_buckets": lambda: lookup.index_table_from_tensor(_WORDS, -1),
        "fewer_than_no_buckets_of_a_file": lambda: lookup.index_table_from_file("f", -1),
        "no_lines": lambda: lookup.index_table_from_file("f", vocab_size=0),
        "no_lines_of_words": lambda: lookup.index_to_string_table_from_file("f", vocab_size=0),
        "floats": lambda: lookup.index_table_from_tensor([1.0], dtype=tf.float32),
        "float_keys": lambda: lookup.index_table_from_file("f", key_dtype=tf.float32),
        "numbers_for_words": lambda: lookup.index_table_from_tensor([1]),
        "words_for_numbers": lambda: lookup.index_table_from_tensor(_WORDS, dtype=tf.int64),
        "numbers_for_the_old_name": lambda: lookup.string_to_index_table_from_tensor([1]),
        "a_key_too_long": lambda: lookup.StrongHashSpec([1, 2, 3]),
        "a_key_of_texts": lambda: lookup.StrongHashSpec(["a", "b"]),
        "another_spec": lambda: lookup.index_table_from_tensor(_WORDS, 1, hasher_spec="fasthash"),
        "unknown_hasher": lambda: lookup.index_table_from_tensor(
            _WORDS, 1, hasher_spec=lookup.HasherSpec("none", None)
        ).lookup(tf.constant(["a"])),
        "neither_table_nor_buckets": lambda: lookup.IdTableWithHashBuckets(None, 0),
        "a_table_of_words": lambda: lookup.IdTableWithHashBuckets(texts(), 1),
        "a_table_of_other_keys": lambda: lookup.IdTableWithHashBuckets(
            lookup.index_table_from_tensor(_WORDS), 1, key_dtype=tf.int64
        ),
        "float_keys_in_buckets": lambda: lookup.IdTableWithHashBuckets(None, 1, key_dtype=tf.float32),
        "asked_by_number": lambda: lookup.index_table_from_tensor(_WORDS).lookup(tf.constant([1])),
        "buckets_asked_by_number": lambda: lookup.index_table_from_tensor(_WORDS, 1).lookup(tf.constant([1])),
        "two_defaults": lambda: lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [1]), [1, 2]),
    }
    result = {name: error_at_call(tf, call) for name, call in calls.items()}
    with tf.Graph().as_default(), tf.Session() as session:
        twice = lookup.index_table_from_tensor(["a", "a"])
        result["a_word_that_comes_twice"] = error_at_run(lambda: session.run(twice.initializer))
        missing = lookup.index_table_from_file("/nope")
        result["a_file_that_is_not_there"] = error_at_run(lambda: session.run(missing.initializer))
    result["fast"] = word(str(tuple(lookup.FastHashSpec)))
    return result
