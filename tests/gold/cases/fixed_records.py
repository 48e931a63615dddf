"""FixedLengthRecordReader: header, footer, hop and encoding, and files that are too short for them."""

from __future__ import annotations

import gzip
import zlib
from typing import Any, Dict

import numpy as np

from .files import read_all, write_files
from .harness import Result, collect, gold, temporary_directory, without_directories

__all__: list[str] = []

# Ten records of three bytes, that say which they are.
RECORDS = b"".join(b"%03d" % number for number in range(10))
FEW = b"100101"


def _zipped(content: bytes) -> bytes:
    return gzip.compress(content)


# -- where records are -----------------------------------------------------------------------


@gold
def records_of_several_files_and_epochs_keep_their_order(tf: Any) -> Result:
    """The key is the file and the record, counted from 0."""
    contents = {"a.bin": RECORDS, "none.bin": b"", "b.bin": FEW}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3), contents, num_epochs=2)


@gold
def a_short_rest_is_no_record(tf: Any) -> Result:
    contents = {"a.bin": RECORDS, "shorter.bin": b"abc", "b.bin": FEW}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(4), contents)


@gold
def a_header_is_passed_over(tf: Any) -> Result:
    contents = {"a.bin": b"header" + RECORDS, "only.bin": b"header", "b.bin": b"HEADER" + FEW}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, header_bytes=6), contents, num_epochs=2)


@gold
def a_footer_is_left_out(tf: Any) -> Result:
    contents = {"a.bin": RECORDS + b"foot", "only.bin": b"foot", "b.bin": FEW + b"FOOT"}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, footer_bytes=4), contents, num_epochs=2)


@gold
def a_short_rest_before_the_footer_is_no_record(tf: Any) -> Result:
    contents = {"a.bin": b"he" + RECORDS + b"xx" + b"foot"}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=4), contents)


@gold
def a_hop_longer_than_a_record_leaves_gaps(tf: Any) -> Result:
    """The key counts the records read, not those passed over."""
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, hop_bytes=6), {"a.bin": RECORDS, "b.bin": FEW})


@gold
def a_hop_shorter_than_a_record_makes_them_overlap(tf: Any) -> Result:
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, hop_bytes=2), {"a.bin": RECORDS, "b.bin": FEW})


@gold
def a_hop_of_one_record_or_of_nothing_leaves_records_side_by_side(tf: Any) -> Result:
    result = {}
    for hop in (0, 3, None):
        given = read_all(tf, lambda hop=hop: tf.FixedLengthRecordReader(3, hop_bytes=hop), {"a.bin": FEW})
        result[f"{hop}"] = given["1"]
    return result


@gold
def header_footer_and_hop_go_together(tf: Any) -> Result:
    def reader() -> Any:
        return tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=1, hop_bytes=4)

    return read_all(tf, reader, {"a.bin": RECORDS, "b.bin": FEW}, num_epochs=2)


@gold
def a_file_too_short_for_header_footer_or_record_gives_nothing(tf: Any) -> Result:
    contents = {"a.bin": RECORDS, "b.bin": FEW}
    sizes: Dict[str, Dict[str, int]] = {
        "record": dict(record_bytes=40),
        "header": dict(record_bytes=3, header_bytes=40),
        "footer": dict(record_bytes=3, footer_bytes=40),
        "header_and_footer": dict(record_bytes=3, header_bytes=20, footer_bytes=20),
        "header_of_all": dict(record_bytes=3, header_bytes=30),
        "all_but_one_record": dict(record_bytes=3, header_bytes=13, footer_bytes=14),
    }
    result = {}
    for name, arguments in sizes.items():
        given = read_all(tf, lambda arguments=arguments: tf.FixedLengthRecordReader(**arguments), contents)
        result[name], result[name + ".real_error"] = given["1"], given["real_error"]
    return result


@gold
def arguments_of_fixed_length_readers_stand_in_tf1s_order(tf: Any) -> Result:
    """record_bytes, header_bytes, footer_bytes, hop_bytes, name, encoding."""
    contents = {"a.bin": zlib.compress(RECORDS)}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, 6, 3, 6, "reader", "ZLIB"), contents)


# -- compressed files ------------------------------------------------------------------------


@gold
def compressed_files_are_cut_into_records(tf: Any) -> Result:
    result = {}
    contents = {"a.bin": RECORDS, "none.bin": b"", "b.bin": FEW}
    for encoding, packed in [("ZLIB", zlib.compress), ("GZIP", _zipped), ("", bytes), (None, bytes)]:
        given = read_all(
            tf,
            lambda encoding=encoding: tf.FixedLengthRecordReader(3, encoding=encoding),
            {name: packed(content) for name, content in contents.items()},
            num_epochs=2,
        )
        result[f"{encoding}.keys"], result[f"{encoding}.values"] = given["0"], given["1"]
    return result


@gold
def compressed_files_have_headers_footers_and_hops(tf: Any) -> Result:
    """All in bytes of what was compressed."""
    contents = {"a.gz": _zipped(RECORDS), "b.gz": _zipped(FEW), "short.gz": _zipped(b"xy")}
    sizes: Dict[str, Dict[str, int]] = {
        "header": dict(header_bytes=4),
        "footer": dict(footer_bytes=4),
        "long_hop": dict(hop_bytes=5),
        "short_hop": dict(hop_bytes=2),
        "all": dict(header_bytes=2, footer_bytes=1, hop_bytes=4),
        "long_header": dict(header_bytes=40),
        "long_footer": dict(footer_bytes=40),
        "rest": dict(header_bytes=1),
    }
    result = {}
    for name, arguments in sizes.items():

        def reader(arguments: Any = arguments) -> Any:
            return tf.FixedLengthRecordReader(3, encoding="GZIP", **arguments)

        given = read_all(tf, reader, contents)
        result[name] = given["1"]
    return result


@gold
def a_file_in_another_encoding_is_data_loss(tf: Any) -> Result:
    result = {}
    for encoding in ("ZLIB", "GZIP"):
        given = read_all(
            tf, lambda encoding=encoding: tf.FixedLengthRecordReader(3, encoding=encoding), {"a.bin": RECORDS}
        )
        result[encoding], result[encoding + ".real_error"] = given["1"], given["real_error"]
    return result


@gold
def an_encoding_that_nobody_knows_is_none(tf: Any) -> Result:
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, encoding="BZ2"), {"a.bin": FEW})


# -- several at once -------------------------------------------------------------------------


@gold
def records_read_together_stop_at_the_end_of_a_file(tf: Any) -> Result:
    contents = {"none.bin": b"", "a.bin": RECORDS, "short.bin": b"xy", "b.bin": FEW}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3), contents, num_epochs=2, up_to=4)


@gold
def more_records_together_than_a_file_has_are_the_whole_file(tf: Any) -> Result:
    contents = {"a.bin": RECORDS, "b.bin": FEW}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, header_bytes=3), contents, up_to=100)


@gold
def compressed_records_are_read_together(tf: Any) -> Result:
    contents = {"a.gz": _zipped(RECORDS), "b.gz": _zipped(FEW)}
    return read_all(tf, lambda: tf.FixedLengthRecordReader(3, encoding="GZIP"), contents, num_epochs=2, up_to=4)


@gold
def records_of_pixels_are_decoded_and_batched(tf: Any) -> Result:
    """The CIFAR-10 way: a label, then the pixels plane by plane."""
    with temporary_directory() as directory:

        def build() -> Any:
            rows = (np.arange(7 * 13) % 251).astype(np.uint8).reshape(7, 13)
            paths = write_files(directory, {"a.bin": rows[:4].tobytes(), "b.bin": rows[4:].tobytes()})
            queue = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
            key, value = tf.FixedLengthRecordReader(record_bytes=13).read(queue)
            record = tf.decode_raw(value, tf.uint8)
            label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
            image = tf.transpose(tf.reshape(tf.strided_slice(record, [1], [13]), [3, 2, 2]), [1, 2, 0])
            label.set_shape([1])
            return tf.train.batch({"key": key, "label": label, "image": image}, batch_size=4)

        result = collect(tf, build)
    result["key"] = without_directories(result["key"])
    return result


# -- errors ----------------------------------------------------------------------------------


@gold
def negative_sizes_are_invalid_arguments(tf: Any) -> Result:
    result = {}
    for name in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes"):

        def reader(name: str = name) -> Any:
            return tf.FixedLengthRecordReader(**dict({"record_bytes": 3}, **{name: -1}))

        given = read_all(tf, reader, {"a.bin": FEW})
        result[name], result[name + ".values"] = given["real_error"], given["1"]
    return result
