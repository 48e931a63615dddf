"""TFRecordReader beyond plain files: compression, several records at a time, and refused arguments."""

from __future__ import annotations

from typing import Any, Dict, List

from .harness import Result, collect, failure, gold, temporary_directory, without_directories
from .records import texts, write_texts

__all__: list[str] = []

COUNTS = {"a": 4, "n": 0, "b": 3}


def _files(tf: Any, directory: str, options: Any = None) -> List[str]:
    return [write_texts(tf, directory, name, texts(name, count), options) for name, count in COUNTS.items()]


def _kinds(tf: Any) -> Dict[str, Any]:
    kinds = tf.python_io.TFRecordCompressionType
    return {"none": kinds.NONE, "zlib": kinds.ZLIB, "gzip": kinds.GZIP}


@gold
def compressed_records_keep_the_keys_of_what_was_compressed(tf: Any) -> Result:
    result = {}
    for name, kind in _kinds(tf).items():
        options = tf.python_io.TFRecordOptions(kind)
        with temporary_directory() as directory:

            def build(directory: str = directory, options: Any = options) -> Any:
                files = _files(tf, directory, options)
                queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
                return list(tf.TFRecordReader(options=options).read(queue))

            given = collect(tf, build)
        result[name + ".keys"], result[name + ".values"] = without_directories(given["0"]), given["1"]
    return result


@gold
def compressed_records_read_together_stop_at_the_end_of_a_file(tf: Any) -> Result:
    result = {}
    for name, kind in _kinds(tf).items():
        options = tf.python_io.TFRecordOptions(kind)
        with temporary_directory() as directory:

            def build(directory: str = directory, options: Any = options) -> Any:
                files = _files(tf, directory, options)
                queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
                return list(tf.TFRecordReader(options=options).read_up_to(queue, 3))

            given = collect(tf, build)
        result[name + ".keys"], result[name + ".values"] = without_directories(given["0"]), given["1"]
        result[name + ".shapes"] = given["0.shapes"]
    return result


@gold
def options_may_be_the_compression_itself(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            kind = tf.python_io.TFRecordCompressionType.ZLIB
            files = _files(tf, directory, tf.python_io.TFRecordOptions(kind))
            queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
            return tf.TFRecordReader("reader", kind).read(queue)[1]

        return collect(tf, build)


@gold
def compressed_records_are_batched_across_files(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
            queue = tf.train.string_input_producer(_files(tf, directory, options), num_epochs=2, shuffle=False)
            return tf.train.batch([tf.TFRecordReader(options=options).read(queue)[1]], batch_size=4)

        return collect(tf, build)


@gold
def more_records_together_than_a_file_has_are_the_whole_of_it(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(_files(tf, directory), num_epochs=2, shuffle=False)
            return list(tf.TFRecordReader().read_up_to(queue, 100))

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def records_in_another_compression_are_data_loss(tf: Any) -> Result:
    """How each kind of file fails under each kind of reader; empty where it does not."""
    result = {}
    kinds = _kinds(tf)
    for written, written_kind in kinds.items():
        for read, read_kind in kinds.items():
            if written == read:
                continue
            with temporary_directory() as directory:

                def build(directory: str = directory, pair: Any = (written_kind, read_kind)) -> Any:
                    options = [tf.python_io.TFRecordOptions(kind) for kind in pair]
                    path = write_texts(tf, directory, "a", texts("a", 4), options[0])
                    queue = tf.train.string_input_producer([path], num_epochs=1)
                    return tf.TFRecordReader(options=options[1]).read(queue)[1]

                given = failure(tf, build)
            result[f"{written}_as_{read}"] = given["real_error"]
            result[f"{written}_as_{read}.values"] = given["out"]
    return result
