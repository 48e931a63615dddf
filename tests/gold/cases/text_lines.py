"""TextLineReader: what a line is, what its key counts, and what it omits."""

from __future__ import annotations

from typing import Any, Callable

from .files import read_all, write_files
from .harness import Result, collect, failure, gold, temporary_directory, without_directories

__all__: list[str] = []

# Three lines, none, two lines (the last without its newline) and one empty line.
FILES = {"a.txt": b"a1\na2\na3\n", "none.txt": b"", "b.txt": b"b1\nb2", "empty.txt": b"\n"}


@gold
def lines_of_several_files_and_epochs_keep_their_order(tf: Any) -> Result:
    """The key is the file and the line, counted from 1."""
    return read_all(tf, tf.TextLineReader, FILES, num_epochs=2)


@gold
def a_line_ends_with_a_newline_with_or_without_a_carriage_return(tf: Any) -> Result:
    """A lone carriage return belongs to the line, as every other byte does."""
    return read_all(
        tf,
        tf.TextLineReader,
        {
            "windows.txt": b"one\r\ntwo\r\n",
            "mixed.txt": b"one\ntwo\r\nthree",
            "lone.txt": b"one\rstill one\ntwo\r",
            "twice.txt": b"one\r\r\ntwo\n",
            "bytes.txt": b"\xef\xbb\xbfmark\nn\0ll\n\xff\xfe\n",
        },
    )


@gold
def empty_lines_are_lines(tf: Any) -> Result:
    return read_all(tf, tf.TextLineReader, {"a.txt": b"\n\na\n\n\nb\n\n", "b.txt": b"\r\n\r\nc", "c.txt": b" \n\t\n"})


@gold
def a_long_line_is_one_line(tf: Any) -> Result:
    """Longer than any buffer of the reader; its bytes are all the same, so that the recording is small."""
    return read_all(tf, tf.TextLineReader, {"a.txt": b"x" * 70000 + b"\n" + b"short\n"})


@gold
def header_lines_of_every_file_are_skipped_but_counted(tf: Any) -> Result:
    contents = {"a.csv": b"name,size\na,1\na,2\n", "b.csv": b"name,size\nb,1", "header.csv": b"name,size\n"}
    return read_all(tf, lambda: tf.TextLineReader(skip_header_lines=1), contents, num_epochs=2)


@gold
def more_header_lines_than_lines_leave_nothing(tf: Any) -> Result:
    contents = {"a.csv": b"1\n2\n", "b.csv": b"1\n2\n3\n4\n5\n", "none.csv": b"", "c.csv": b"1\n2\n3"}
    return read_all(tf, lambda: tf.TextLineReader(skip_header_lines=3), contents)


@gold
def no_header_lines_are_skipped_unless_told(tf: Any) -> Result:
    return read_all(tf, lambda: tf.TextLineReader(skip_header_lines=0), {"a.csv": b"1\n2\n"})


@gold
def lines_read_together_stop_at_the_end_of_a_file(tf: Any) -> Result:
    """Never a file's end and the next one's beginning; a file without lines gives no batch."""
    return read_all(tf, tf.TextLineReader, FILES, num_epochs=2, up_to=2)


@gold
def more_lines_together_than_a_file_has_are_the_whole_file(tf: Any) -> Result:
    return read_all(tf, tf.TextLineReader, FILES, num_epochs=2, up_to=100)


@gold
def lines_behind_a_header_are_read_together(tf: Any) -> Result:
    contents = {"a.csv": b"h\n1\n2\n3\n", "header.csv": b"h\n", "b.csv": b"h\n4\n5"}
    return read_all(tf, lambda: tf.TextLineReader(skip_header_lines=1), contents, num_epochs=2, up_to=2)


def _lines(tf: Any, use: Callable[[Any], Any]) -> Result:
    """Run what *use* makes of the lines of FILES, read one by one as (key, line)."""
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(write_files(directory, FILES), num_epochs=2, shuffle=False)
            return use(tf.TextLineReader().read(queue))

        return collect(tf, build)


@gold
def lines_are_batched_across_files_and_epochs(tf: Any) -> Result:
    result = _lines(tf, lambda pair: tf.train.batch(list(pair), batch_size=5))
    result["0"] = without_directories(result["0"])
    return result


@gold
def lines_are_decoded_as_csv(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            contents = {"a.csv": b"size,name\n1,a\n2,\n", "b.csv": b'size,name\n,"b,b"\r\n4,c'}
            queue = tf.train.string_input_producer(write_files(directory, contents), num_epochs=2, shuffle=False)
            _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
            size, name = tf.decode_csv(line, record_defaults=[[-1], ["nobody"]])
            return tf.train.batch([size, name], batch_size=3, allow_smaller_final_batch=True)

        return collect(tf, build)


@gold
def shuffled_files_of_lines_are_read_whole_in_the_seeds_order(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(write_files(directory, FILES), num_epochs=3, seed=3)
            return list(tf.TextLineReader().read(queue))

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def a_negative_number_of_header_lines_is_an_invalid_argument(tf: Any) -> Result:
    return read_all(tf, lambda: tf.TextLineReader(skip_header_lines=-1), FILES)


@gold
def a_missing_file_of_lines_is_not_found(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            (good,) = write_files(directory, {"a.txt": b"1\n2\n3\n"})
            queue = tf.train.string_input_producer([good, good + ".missing"], num_epochs=1, shuffle=False)
            return tf.train.batch([tf.TextLineReader().read(queue)[1]], batch_size=2)

        return failure(tf, build)


@gold
def a_directory_is_no_file_of_lines(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer([directory], num_epochs=1)
            return tf.TextLineReader().read(queue)[1]

        return failure(tf, build)
