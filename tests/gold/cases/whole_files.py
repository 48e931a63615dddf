"""WholeFileReader and IdentityReader: one record per work item."""

from __future__ import annotations

import os
from typing import Any

from .files import read_all, write_files
from .harness import Result, collect, failure, gold, temporary_directory, without_directories

__all__: list[str] = []

FILES = {"a.txt": b"first\nfile\n", "none.txt": b"", "b.bin": b"\0\1\2\xff\r\n"}


@gold
def whole_files_are_records_and_their_names_the_keys(tf: Any) -> Result:
    return read_all(tf, tf.WholeFileReader, FILES, num_epochs=2)


@gold
def whole_files_are_read_one_at_a_time_even_together(tf: Any) -> Result:
    """A file ends after its one record, and ``read_up_to`` stops at the end of a file."""
    return read_all(tf, tf.WholeFileReader, FILES, num_epochs=2, up_to=2)


@gold
def whole_files_are_read_in_the_seeds_order(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(write_files(directory, FILES), num_epochs=4, seed=5)
            return list(tf.WholeFileReader().read(queue))

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def whole_files_are_batched_with_their_names(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(write_files(directory, FILES), num_epochs=3, shuffle=False)
            key, value = tf.WholeFileReader().read(queue)
            return tf.train.batch({"key": key, "value": value}, batch_size=2, allow_smaller_final_batch=True)

        result = collect(tf, build)
    result["key"] = without_directories(result["key"])
    return result


@gold
def images_are_read_whole_and_decoded(tf: Any) -> Result:
    with temporary_directory() as directory:
        paths = []
        with tf.Graph().as_default(), tf.Session() as session:
            for number in range(3):
                path = os.path.join(directory, f"{number}.png")
                picture = tf.reshape(tf.range(2 * 3 * 3) * 3 + number, [2, 3, 3])
                session.run(tf.write_file(path, tf.image.encode_png(tf.cast(picture, tf.uint8))))
                paths.append(path)

        def build() -> Any:
            queue = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
            _, content = tf.WholeFileReader().read(queue)
            image = tf.image.decode_png(content, channels=3)
            image.set_shape([2, 3, 3])
            return tf.train.batch([image], batch_size=2)

        return collect(tf, build)


@gold
def a_missing_whole_file_is_not_found(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            paths = write_files(directory, FILES)
            queue = tf.train.string_input_producer(paths + [paths[0] + ".missing"], num_epochs=1, shuffle=False)
            return tf.WholeFileReader().read(queue)[1]

        return failure(tf, build)


@gold
def an_identity_reader_gives_its_work_as_key_and_value(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.train.string_input_producer(["b", "a", "no file"], num_epochs=2, shuffle=False)
        return list(tf.IdentityReader().read(queue))

    return collect(tf, build)


@gold
def an_identity_reader_reads_one_item_at_a_time_even_together(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.train.string_input_producer(["b", "a", "c"], num_epochs=2, shuffle=False)
        return list(tf.IdentityReader().read_up_to(queue, 2))

    return collect(tf, build)


@gold
def an_identity_reader_feeds_a_batcher(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.train.string_input_producer(["b", "a", "c"], num_epochs=3, seed=4)
        return tf.train.batch(list(tf.IdentityReader().read(queue)), batch_size=4)

    return collect(tf, build)
