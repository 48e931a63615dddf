"""``tf.contrib.lookup``: vocabularies as tables, under TF1's names and signatures.

::

    table = lookup.index_table_from_file("words.txt", num_oov_buckets=3)
    ids = table.lookup(words)           # in a pipeline: compiled with it
    sess.run(tf.tables_initializer())

Tables are TensorFlow's own (``tf.lookup``); what it removed, indices with hash buckets for words that are not in
the vocabulary, is implemented here. A word has the same bucket as in TF1.
"""

from __future__ import annotations

import functools
import numbers
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import tensorflow as tf

from queuecompat._lazy import absence

__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "KeyValueTensorInitializer",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StrongHashSpec",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
]

KeyValueTensorInitializer = tf.lookup.KeyValueTensorInitializer
MutableDenseHashTable = tf.lookup.experimental.DenseHashTable
MutableHashTable = tf.lookup.experimental.MutableHashTable
TextFileIndex = tf.lookup.TextFileIndex
TextFileInitializer = tf.lookup.TextFileInitializer

_LINE, _NUMBER = TextFileIndex.WHOLE_LINE, TextFileIndex.LINE_NUMBER


class HasherSpec(NamedTuple):
    """A hash function: "fasthash", "legacy" or "stronghash", and the key of the last one."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """Hashing that cannot be predicted without *key*, two integers.

    Raises:
      ValueError, TypeError: *key* is anything else.
    """

    def __new__(cls, key: Sequence[int]) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"StrongHashSpec: the key must be two integers, not {len(key)}")
        if not all(isinstance(part, numbers.Integral) for part in key):
            raise TypeError(f"StrongHashSpec: the key must be two integers, not {key}")
        return tuple.__new__(cls, ("stronghash", key))


class HashTable(tf.compat.v1.lookup.StaticHashTable):
    """A table that is filled once, by its initializer.

    Args:
      initializer: a ``KeyValueTensorInitializer`` or ``TextFileInitializer``.
      default_value: the value of keys that are not in the table.
      shared_name: tables with this name are the same table in a session.
      name: name of the table.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/lookup/lookup_ops.py``.
    """

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: Optional[str] = None, name: Optional[str] = None
    ) -> None:
        self._wanted_name = shared_name
        super().__init__(initializer, default_value, name=name or "hash_table")

    def _create_resource(self) -> tf.Tensor:
        # TensorFlow 2 removed the argument and kept the attribute.
        if self._wanted_name:
            self._shared_name = self._wanted_name
        return super()._create_resource()

    @property
    def init(self) -> tf.Operation:
        """The op that fills the table; ``tf.tables_initializer()`` runs it too."""
        return self.initializer


class IdTableWithHashBuckets:
    """Indices of words: those of *table*, followed by *num_oov_buckets* more for all other words.

    Args:
      table: a table from string or int64 to int64; None: only buckets.
      num_oov_buckets: number of buckets; the hash of a word determines its bucket.
      hasher_spec: the hash function.
      name: name of the table.
      key_dtype: string or an integer type; that of *table* if None.
    Raises:
      TypeError: incompatible types; *hasher_spec* is not a ``HasherSpec``.
      ValueError: neither *table* nor buckets.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/ops/lookup_ops.py``.
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: Optional[str] = None,
        key_dtype: Any = None,
    ) -> None:
        if table is None and num_oov_buckets <= 0:
            raise ValueError(f"IdTableWithHashBuckets: no table, and num_oov_buckets is {num_oov_buckets}")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"IdTableWithHashBuckets: hasher_spec must be a HasherSpec, not {hasher_spec!r}")
        self._key_dtype = tf.as_dtype(key_dtype or (tf.string if table is None else table.key_dtype))
        _check_types(self._key_dtype, table)
        self._table = table
        self._buckets = num_oov_buckets
        self._hasher_spec = hasher_spec
        found = "hash_bucket" if table is None else table.name
        self._name = (name or found or "hash_table").rstrip("/").split("/")[-1]

    @property
    def key_dtype(self) -> tf.DType:
        return self._key_dtype

    @property
    def value_dtype(self) -> tf.DType:
        return tf.int64

    @property
    def name(self) -> str:
        return self._name

    @property
    def resource_handle(self) -> Optional[tf.Tensor]:
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> tf.Operation:
        """The op that fills the table."""
        return tf.no_op() if self._table is None else self._table.initializer

    @property
    def init(self) -> tf.Operation:
        return self.initializer

    def size(self, name: Optional[str] = None) -> tf.Tensor:
        """Words of the table and buckets together: scalar int64."""
        with tf.compat.v1.name_scope(name, f"{self._name}_Size"):
            known = tf.constant(0, tf.int64) if self._table is None else self._table.size()
            return known + self._buckets

    def lookup(self, keys: Any, name: Optional[str] = None) -> Any:
        """The indices of *keys*, a Tensor or SparseTensor: the same shape, int64.

        Raises:
          TypeError: keys of a different dtype.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"the keys are {keys.dtype.name}, but those of the table are {self._key_dtype.name}")
        words = keys.values if isinstance(keys, tf.SparseTensor) else keys
        with tf.compat.v1.name_scope(name, f"{self._name}_Lookup"):
            ids = self._ids(words)
        return tf.SparseTensor(keys.indices, ids, keys.dense_shape) if isinstance(keys, tf.SparseTensor) else ids

    def _ids(self, words: tf.Tensor) -> tf.Tensor:
        if self._table is not None and self._table.key_dtype == tf.int64:
            words = tf.cast(words, tf.int64)
        if not self._buckets:
            return self._table.lookup(words)
        texts = words if words.dtype == tf.string else tf.strings.as_string(words)
        buckets = _hash_function(self._hasher_spec)(texts, num_buckets=self._buckets)
        if self._table is None:
            return buckets
        ids = self._table.lookup(words)
        return tf.where(tf.not_equal(ids, self._table.default_value), ids, buckets + self._table.size())


class TextFileIdTableInitializer(tf.lookup.TextFileInitializer):
    """A file's lines, or one of their columns, as keys; the line number, starting at 0, as value (int64)."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _LINE,
        value_column_index: int = _NUMBER,
        vocab_size: Optional[int] = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = tf.string,
    ) -> None:
        columns = (key_dtype, key_column_index, tf.int64, value_column_index)
        super().__init__(filename, *columns, vocab_size=vocab_size, delimiter=delimiter, name=name)


class TextFileStringTableInitializer(tf.lookup.TextFileInitializer):
    """The line number, starting at 0, as key (int64); a file's lines, or one of their columns, as value."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _NUMBER,
        value_column_index: int = _LINE,
        vocab_size: Optional[int] = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        columns = (tf.int64, key_column_index, tf.string, value_column_index)
        super().__init__(filename, *columns, vocab_size=vocab_size, delimiter=delimiter, name=name)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = tf.string,
    name: Optional[str] = None,
    key_column_index: int = _LINE,
    value_column_index: int = _NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the words of a file, one on each line, to their indices.

    Args:
      vocabulary_file: its name.
      num_oov_buckets: number of further indices, after those of the file, for words that are not in it.
      vocab_size: number of lines that are used; the file must have at least as many.
      default_value: without buckets, the index of words that are not in the file.
      hasher_spec: the hash function.
      key_dtype: string or an integer type.
      name: name scope of the ops.
      key_column_index, value_column_index: columns of the line, or a ``TextFileIndex``.
      delimiter: separator of columns.
    Returns:
      A ``HashTable``, or with buckets an ``IdTableWithHashBuckets``.
    Raises:
      ValueError: no file, ``num_oov_buckets < 0``, ``vocab_size < 1``.
      TypeError: *key_dtype* is neither string nor an integer type.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/ops/lookup_ops.py``.
    """
    _check_file(vocabulary_file, vocab_size)
    key_dtype = _checked_key_dtype(key_dtype, num_oov_buckets)
    with tf.compat.v1.name_scope(name, "string_to_index"), tf.compat.v1.name_scope(None, "hash_table"):
        initializer = TextFileIdTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name="table_init",
            key_dtype=tf.int64 if key_dtype.is_integer else key_dtype,
        )
        return _with_buckets(HashTable(initializer, default_value), num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = tf.string,
    name: Optional[str] = None,
) -> Any:
    """A table from the words of *mapping*, ``[n]``, to their indices.

    Args:
      mapping: tensor of *dtype*, without duplicates.
      num_oov_buckets, default_value, hasher_spec, name: as ``index_table_from_file``.
      dtype: string or an integer type.
    Returns:
      As ``index_table_from_file``.
    Raises:
      ValueError: no *mapping*, or of a different type; ``num_oov_buckets < 0``.
      TypeError: *dtype* is neither string nor an integer type.
      tf.errors.FailedPreconditionError: when the table is initialised, a word occurs twice.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/lookup/lookup_ops.py``.
    """
    if mapping is None:
        raise ValueError("index_table_from_tensor: pass a mapping")
    dtype = _checked_key_dtype(dtype, num_oov_buckets)
    with tf.compat.v1.name_scope(name, "string_to_index"):
        keys = tf.convert_to_tensor(mapping)
        if keys.dtype.is_integer != dtype.is_integer or (not dtype.is_integer and keys.dtype != dtype):
            raise ValueError(f"index_table_from_tensor: the mapping is {keys.dtype.name}, but dtype is {dtype.name}")
        if dtype.is_integer:
            keys = tf.cast(keys, tf.int64)
        values = tf.range(tf.size(keys, out_type=tf.int64))
        with tf.compat.v1.name_scope(None, "hash_table"):
            table = HashTable(KeyValueTensorInitializer(keys, values, name="table_init"), default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: Optional[int] = None,
    default_value: str = "UNK",
    name: Optional[str] = None,
    key_column_index: int = _NUMBER,
    value_column_index: int = _LINE,
    delimiter: str = "\t",
) -> HashTable:
    """A table from indices to the words of a file, one on each line.

    Args:
      default_value: the word for indices out of range.
      vocabulary_file, vocab_size, name, key_column_index, value_column_index, delimiter: as
        ``index_table_from_file``.
    Raises:
      ValueError: no file, ``vocab_size < 1``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/ops/lookup_ops.py``.
    """
    _check_file(vocabulary_file, vocab_size)
    with tf.compat.v1.name_scope(name, "index_to_string"):
        columns = (key_column_index, value_column_index)
        initializer = TextFileStringTableInitializer(
            vocabulary_file, *columns, vocab_size=vocab_size, delimiter=delimiter, name="table_init"
        )
        return HashTable(initializer, default_value)


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: Optional[str] = None
) -> HashTable:
    """A table from indices to the words of *mapping*, ``[n]`` strings. ValueError: no *mapping*."""
    if mapping is None:
        raise ValueError("index_to_string_table_from_tensor: pass a mapping")
    with tf.compat.v1.name_scope(name, "index_to_string"):
        words = tf.convert_to_tensor(mapping, tf.string)
        indices = tf.range(tf.size(words, out_type=tf.int64))
        return HashTable(KeyValueTensorInitializer(indices, words, name="table_init"), default_value)


def string_to_index(tensor: Any, mapping: Any, default_value: int = -1, name: Optional[str] = None) -> Any:
    """The indices of *tensor*'s words in *mapping*: ``index_table_from_tensor(mapping).lookup(tensor)``."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """The words of *mapping* at the indices *tensor*: ``index_to_string_table_from_tensor(mapping).lookup(tensor)``."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """The old name of ``index_table_from_file``."""
    return index_table_from_file(vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name)


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """The old name of ``index_table_from_tensor``, for strings only. ValueError: *mapping* of a different type."""
    with tf.compat.v1.name_scope(name, "string_to_index") as scope:
        words = tf.convert_to_tensor(mapping)
        if words.dtype != tf.string:
            raise ValueError(f"string_to_index_table_from_tensor: the mapping is {words.dtype.name}, not string")
        return index_table_from_tensor(words, num_oov_buckets, default_value, hasher_spec, name=scope)


def _check_types(key_dtype: tf.DType, table: Any) -> None:
    if not key_dtype.is_integer and key_dtype != tf.string:
        raise TypeError(f"the keys must be strings or integers, not {key_dtype.name}")
    if table is None:
        return
    if table.key_dtype not in (tf.int64, tf.string) or table.key_dtype.is_integer != key_dtype.is_integer:
        raise TypeError(f"the keys of the table are {table.key_dtype.name}; not {key_dtype.name}")
    if table.value_dtype != tf.int64:
        raise TypeError(f"the values of the table are {table.value_dtype.name}, not int64")


def _hash_function(spec: HasherSpec) -> Callable[..., tf.Tensor]:
    if spec.hasher == "stronghash":
        return functools.partial(tf.strings.to_hash_bucket_strong, key=list(spec.key))
    known = {"fasthash": tf.strings.to_hash_bucket_fast, "legacy": tf.compat.v1.string_to_hash_bucket}
    if spec.hasher not in known:
        raise ValueError(f"there is no hash function {spec.hasher!r}")
    return known[spec.hasher]


def _check_file(vocabulary_file: Any, vocab_size: Optional[int]) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("pass a vocabulary_file")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size is {vocab_size}; it must be greater than 0")


def _checked_key_dtype(key_dtype: Any, num_oov_buckets: int) -> tf.DType:
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets is {num_oov_buckets}; it must not be negative")
    key_dtype = tf.as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype != tf.string:
        raise TypeError(f"the keys must be strings or integers, not {key_dtype.name}")
    return key_dtype


def _with_buckets(table: HashTable, count: int, hasher_spec: HasherSpec, key_dtype: tf.DType) -> Any:
    return IdTableWithHashBuckets(table, count, hasher_spec, key_dtype=key_dtype) if count else table


def __getattr__(name: str) -> Any:
    raise absence(f"tf.contrib.lookup.{name}", "TensorFlow 1.15 had no such name")


def __dir__() -> List[str]:
    return __all__
