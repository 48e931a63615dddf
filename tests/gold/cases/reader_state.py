"""The state of a reader: its counters, reset, its state as text; and several readers on one queue.

There is no batcher after the reader, so every step is one read, and the counters are certain.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .files import write_files
from .harness import (
    Result,
    collect,
    dtype_name,
    error_at_call,
    error_at_run,
    failure,
    gold,
    running,
    temporary_directory,
    without_directories,
    words,
)
from .records import texts, write_texts

__all__: list[str] = []

LINES = {"a.txt": b"a1\na2\na3\n", "none.txt": b"", "b.txt": b"b1\nb2\n"}

READERS: Dict[str, Callable[[Any], Any]] = {
    "text_lines": lambda tf: tf.TextLineReader(),
    "fixed_records": lambda tf: tf.FixedLengthRecordReader(3),
    "records": lambda tf: tf.TFRecordReader(),
    "whole_files": lambda tf: tf.WholeFileReader(),
    "identity": lambda tf: tf.IdentityReader(),
}


def _files(tf: Any, directory: str, kind: str) -> List[str]:
    """Files for the reader of this kind: three records, none, and two (but one for each file if read whole)."""
    if kind == "records":
        return [
            write_texts(tf, directory, name, texts(name[0], count)) for name, count in [("a", 3), ("n", 0), ("b", 2)]
        ]
    return write_files(directory, LINES)


def _file_queue(tf: Any, files: List[str], num_epochs: int = 1) -> Any:
    return tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=False)


def _key_of(session: Any, record: Any) -> bytes:
    key, _ = session.run(record)
    return without_directories(np.array([key]))[0]


# -- counters --------------------------------------------------------------------------------


@gold
def readers_count_their_records_and_their_files(tf: Any) -> Result:
    """After no read, and after every read up to the one that finds no more.

    A file is completed when the next read leaves it; the empty file in between counts too.
    """
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            reader = make(tf)
            record = reader.read(_file_queue(tf, _files(tf, directory, kind), num_epochs=2))
            counters = [reader.num_records_produced(), reader.num_work_units_completed()]
            keys, counts = [], []
            with running(tf) as session:
                counts.append(session.run(counters))
                try:
                    while True:
                        keys.append(_key_of(session, record))
                        counts.append(session.run(counters))
                except tf.errors.OutOfRangeError:
                    counts.append(session.run(counters))
        result[kind + ".keys"], result[kind + ".counts"] = np.array(keys), np.array(counts)
        result[kind + ".dtypes"] = words([counter.dtype.name for counter in counters])
    return result


@gold
def records_read_together_are_counted_one_by_one(tf: Any) -> Result:
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            reader = make(tf)
            records = reader.read_up_to(_file_queue(tf, _files(tf, directory, kind)), 2)
            counters = [reader.num_records_produced(), reader.num_work_units_completed()]
            counts = []
            with running(tf) as session:
                try:
                    while True:
                        session.run(records)
                        counts.append(session.run(counters))
                except tf.errors.OutOfRangeError:
                    counts.append(session.run(counters))
        result[kind] = np.array(counts)
    return result


@gold
def a_reset_in_the_middle_forgets_the_file_and_the_counts(tf: Any) -> Result:
    """The rest of the file is lost; the queue goes on with the next one."""
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            reader = make(tf)
            record = reader.read(_file_queue(tf, _files(tf, directory, kind), num_epochs=2))
            counters = [reader.num_records_produced(), reader.num_work_units_completed()]
            reset = reader.reset()
            keys, counts = [], []
            with running(tf) as session:
                session.run(reset)
                for step in range(4):
                    keys.append(_key_of(session, record))
                    if step == 1:
                        counts.append(session.run(counters))
                        session.run(reset)
                    counts.append(session.run(counters))
        result[kind + ".keys"], result[kind + ".counts"] = np.array(keys), np.array(counts)
    return result


# -- the state as text -----------------------------------------------------------------------


@gold
def whole_file_and_identity_readers_alone_serialize(tf: Any) -> Result:
    """What each says of itself, and what each does when asked: at the run, not at the call."""
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            reader = make(tf)
            record = reader.read(_file_queue(tf, _files(tf, directory, kind)))
            save, restore = reader.serialize_state(), reader.restore_state(b"")
            result[kind] = np.array(reader.supports_serialize)
            with running(tf) as session:
                session.run(record)
                result[kind + ".save"] = error_at_run(lambda save=save: session.run(save))
                result[kind + ".restore"] = error_at_run(lambda restore=restore: session.run(restore))
    return result


@gold
def an_identity_readers_state_is_restored(tf: Any) -> Result:
    """The counts come back, and the bytes of the state are TF1's; the queue is no part of it."""
    with tf.Graph().as_default():
        reader = tf.IdentityReader()
        key, _ = reader.read(_file_queue(tf, ["a", "b", "c", "d", "e"]))
        counters = [reader.num_records_produced(), reader.num_work_units_completed()]
        save = reader.serialize_state()
        state = tf.placeholder(tf.string, [])
        restore = reader.restore_state(state)
        keys, counts, states = [], [], []
        with running(tf) as session:
            states.append(session.run(save))
            keys += [session.run(key), session.run(key)]
            states.append(session.run(save))
            counts.append(session.run(counters))
            keys.append(session.run(key))
            counts.append(session.run(counters))
            session.run(restore, {state: states[1]})
            counts.append(session.run(counters))
            keys.append(session.run(key))
            counts.append(session.run(counters))
            session.run(restore, {state: states[0]})
            counts.append(session.run(counters))
    return {
        "keys": np.array(keys),
        "counts": np.array(counts),
        "states": np.array([state.hex().encode() for state in states]),
    }


@gold
def a_state_is_restored_into_another_reader(tf: Any) -> Result:
    result = {}
    for kind in ("whole_files", "identity"):
        with temporary_directory() as directory, tf.Graph().as_default():
            first, second = READERS[kind](tf), READERS[kind](tf)
            queue = _file_queue(tf, _files(tf, directory, kind), num_epochs=2)
            records = [first.read(queue), second.read(queue)]
            counters = [second.num_records_produced(), second.num_work_units_completed()]
            restore = second.restore_state(first.serialize_state())
            with running(tf) as session:
                keys = [_key_of(session, records[0]) for _ in range(3)]
                counts = [session.run(counters)]
                session.run(restore)
                counts.append(session.run(counters))
                keys.append(_key_of(session, records[1]))
                counts.append(session.run(counters))
        result[kind + ".keys"], result[kind + ".counts"] = np.array(keys), np.array(counts)
    return result


@gold
def a_text_that_is_no_state_is_an_invalid_argument(tf: Any) -> Result:
    """The state of another kind of reader is taken: it says nothing of its kind."""
    result = {}
    with tf.Graph().as_default():
        identity, whole = tf.IdentityReader(), tf.WholeFileReader()
        state = tf.placeholder(tf.string)
        restores = {"identity": identity.restore_state(state), "whole_files": whole.restore_state(state)}
        other = whole.restore_state(identity.serialize_state())
        with running(tf) as session:
            for kind, restore in restores.items():
                for name, text in [("empty", b""), ("text", b"no state"), ("list", [b""])]:
                    result[f"{kind}.{name}"] = error_at_run(
                        lambda restore=restore, text=text: session.run(restore, {state: text})
                    )
            result["of_another_kind"] = error_at_run(lambda: session.run(other))
    return result


# -- several uses of one reader or queue -----------------------------------------------------


@gold
def one_reader_may_read_one_by_one_and_together(tf: Any) -> Result:
    """Both go on from where the other stopped."""
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            reader = make(tf)
            queue = _file_queue(tf, _files(tf, directory, kind), num_epochs=3)
            one, two = reader.read(queue), reader.read_up_to(queue, 2)
            given = []
            with running(tf) as session:
                for records in [one, two, one, two, one, one, two]:
                    keys = np.atleast_1d(session.run(records)[0])
                    given.append(b" ".join(without_directories(keys)))
        result[kind] = np.array(given)
    return result


@gold
def two_reads_of_one_reader_take_turns(tf: Any) -> Result:
    with temporary_directory() as directory, tf.Graph().as_default():
        reader = tf.TextLineReader()
        queue = _file_queue(tf, _files(tf, directory, "text_lines"), num_epochs=2)
        first, second = reader.read(queue), reader.read(queue)
        with running(tf) as session:
            keys = [_key_of(session, record) for record in [first, second, second, first, first, second, first]]
    return {"keys": np.array(keys)}


@gold
def readers_on_one_queue_take_a_file_each(tf: Any) -> Result:
    """Read in turns, which no chance disturbs: each reader keeps its file to the end."""
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            files = _files(tf, directory, kind)
            queue = _file_queue(tf, [files[0], files[2], files[1], files[0]])
            records = [make(tf).read(queue) for _ in range(2)]
            keys, ended = [], [False, False]
            with running(tf) as session:
                while not all(ended):
                    for number, record in enumerate(records):
                        try:
                            keys.append(_key_of(session, record))
                        except tf.errors.OutOfRangeError:
                            keys.append(b"end of %d" % number)
                            ended[number] = True
        result[kind] = np.array(keys)
    return result


@gold
def one_reader_goes_on_with_another_queue_after_its_file(tf: Any) -> Result:
    """The queue matters only when a reader needs its next file."""
    with temporary_directory() as directory, tf.Graph().as_default():
        first, empty, second = write_files(directory, LINES)
        reader = tf.TextLineReader()
        one = reader.read(_file_queue(tf, [first, empty], num_epochs=2))
        other = reader.read(_file_queue(tf, [second], num_epochs=3))
        with running(tf) as session:
            keys = [_key_of(session, record) for record in [one, other, other, other, one, one, other, one]]
    return {"keys": np.array(keys)}


# -- queues that the program made ------------------------------------------------------------


@gold
def a_reader_takes_a_queue_that_the_program_filled(tf: Any) -> Result:
    """It ends when that queue is closed and empty."""
    result = {}
    for kind, make in READERS.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
            fill = queue.enqueue_many([_files(tf, directory, kind)])
            close = queue.close()
            record = make(tf).read(queue)
            keys = []
            with running(tf) as session:
                session.run(fill)
                session.run(fill)
                session.run(close)
                try:
                    while True:
                        keys.append(_key_of(session, record))
                except tf.errors.OutOfRangeError:
                    keys.append(b"end")
        result[kind] = np.array(keys)
    return result


@gold
def a_reader_reads_on_when_its_queue_is_filled_again(tf: Any) -> Result:
    with temporary_directory() as directory, tf.Graph().as_default():
        queue = tf.FIFOQueue(10, [tf.string])
        name = tf.placeholder(tf.string, [])
        enqueue = queue.enqueue([name])
        records = tf.TextLineReader().read_up_to(queue, 2)
        given = []
        with running(tf) as session:
            for path in write_files(directory, LINES) * 2:
                session.run(enqueue, {name: path})
                if path.endswith("none.txt"):
                    continue
                for _ in range(2 if path.endswith("a.txt") else 1):
                    given.append(b" ".join(without_directories(session.run(records)[0])))
    return {"keys": np.array(given)}


@gold
def a_reader_of_a_users_queue_feeds_a_batcher(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
            fill = queue.enqueue_many([_files(tf, directory, "text_lines")])
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [fill]))
            _, line = tf.TextLineReader().read(queue)
            return tf.train.batch([line], batch_size=3)

        return collect(tf, build, max_steps=4)


@gold
def a_reader_refuses_a_queue_of_two_components(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.FIFOQueue(10, [tf.string, tf.string], shapes=[[], []])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(["a", "b"])]))
        return list(tf.IdentityReader().read(queue))

    return failure(tf, build)


@gold
def every_reader_refuses_a_queue_of_numbers(tf: Any) -> Result:
    result = {}
    for kind, make in READERS.items():

        def build(make: Any = make) -> Any:
            return make(tf).read(tf.train.range_input_producer(3, num_epochs=1))[1]

        result[kind] = failure(tf, build)["real_error"]
    return result


# -- names and arguments ---------------------------------------------------------------------


@gold
def readers_keep_tf1s_names_and_types(tf: Any) -> Result:
    result = {}
    for kind, make in READERS.items():
        with tf.Graph().as_default():
            queue = _file_queue(tf, ["a"])
            reader = make(tf)
            one, many = reader.read(queue), reader.read_up_to(queue, 2)
            made = list(one) + list(many)
            made += [reader.num_records_produced(), reader.num_work_units_completed(), reader.serialize_state()]
            operations = [reader.reset(), reader.restore_state(b"")]
            result[kind] = words([tensor.name for tensor in made] + [operation.name for operation in operations])
            result[kind + ".dtypes"] = np.array([dtype_name(tensor.dtype) for tensor in made])
            result[kind + ".static"] = words([str(tensor.shape.as_list()) for tensor in made])
            result[kind + ".structure"] = words([type(one).__name__, " ".join(getattr(one, "_fields", ()))])
            result[kind + ".is_reader"] = np.array(isinstance(reader, tf.ReaderBase))
    return result


@gold
def readers_take_names_for_all_they_make(tf: Any) -> Result:
    with tf.Graph().as_default():
        queue = _file_queue(tf, ["a"])
        reader = tf.WholeFileReader(name="reader")
        made = [
            *reader.read(queue, name="one"),
            *reader.read_up_to(queue, 2, name="many"),
            reader.num_records_produced(name="records"),
            reader.num_work_units_completed(name="files"),
            reader.serialize_state(name="state"),
            reader.reset(name="reset"),
            reader.restore_state(b"", name="restore"),
        ]
        return {"names": words([item.name for item in made])}


@gold
def a_number_of_records_together_may_be_a_tensor_or_fed(tf: Any) -> Result:
    with temporary_directory() as directory, tf.Graph().as_default():
        reader = tf.TextLineReader()
        queue = _file_queue(tf, _files(tf, directory, "text_lines"), num_epochs=3)
        number = tf.placeholder(tf.int64, [])
        fed, computed = reader.read_up_to(queue, number), reader.read_up_to(queue, tf.constant(1, tf.int64) + 1)
        given = []
        with running(tf) as session:
            for records, feed in [(fed, {number: 2}), (computed, {}), (fed, {number: 1}), (fed, {number: 9})]:
                keys, _ = session.run(records, feed)
                given.append(b" ".join(without_directories(keys)))
    return {"keys": np.array(given), "static": words([str(records[0].shape.as_list()) for records in (fed, computed)])}


@gold
def no_records_together_are_an_empty_batch(tf: Any) -> Result:
    """It neither reads nor ends."""
    with temporary_directory() as directory:

        def build() -> Any:
            queue = _file_queue(tf, _files(tf, directory, "text_lines"))
            return list(tf.TextLineReader().read_up_to(queue, 0))

        return collect(tf, build, max_steps=3)


@gold
def readers_refuse_what_tf1_refuses_at_the_call(tf: Any) -> Result:
    def queue() -> Any:
        return _file_queue(tf, ["a"])

    rows: Dict[str, Callable[[], Any]] = {
        "no_record_bytes": lambda: tf.FixedLengthRecordReader(),
        "record_bytes_a_text": lambda: tf.FixedLengthRecordReader("3"),
        "record_bytes_a_fraction": lambda: tf.FixedLengthRecordReader(3.5),
        "record_bytes_none": lambda: tf.FixedLengthRecordReader(None),
        "record_bytes_a_tensor": lambda: tf.FixedLengthRecordReader(tf.constant(3)),
        "header_bytes_a_text": lambda: tf.FixedLengthRecordReader(3, header_bytes="1"),
        "encoding_a_number": lambda: tf.FixedLengthRecordReader(3, encoding=1),
        "header_lines_a_text": lambda: tf.TextLineReader(skip_header_lines="1"),
        "header_lines_a_fraction": lambda: tf.TextLineReader(skip_header_lines=1.5),
        "header_lines_negative": lambda: tf.TextLineReader(skip_header_lines=-1),
        "record_bytes_negative": lambda: tf.FixedLengthRecordReader(-1),
        "options_a_text": lambda: tf.TFRecordReader(options="GZIP"),
        "read_none": lambda: tf.TextLineReader().read(None),
        "read_a_text": lambda: tf.TextLineReader().read("a.txt"),
        "read_a_list": lambda: tf.TextLineReader().read(["a.txt"]),
        "read_a_queue_of_numbers": lambda: tf.TextLineReader().read(tf.train.range_input_producer(3)),
        "read_a_dequeued_name": lambda: tf.TextLineReader().read(queue().dequeue()),
        "up_to_none": lambda: tf.TextLineReader().read_up_to(queue(), None),
        "up_to_a_text": lambda: tf.TextLineReader().read_up_to(queue(), "2"),
        "up_to_a_fraction": lambda: tf.TextLineReader().read_up_to(queue(), 2.5),
        "up_to_a_list": lambda: tf.TextLineReader().read_up_to(queue(), [2]),
        "up_to_missing": lambda: tf.TextLineReader().read_up_to(queue()),
        "restore_a_number": lambda: tf.IdentityReader().restore_state(3),
        "restore_nothing": lambda: tf.IdentityReader().restore_state(),
        "restore_a_list": lambda: tf.IdentityReader().restore_state(["a"]),
    }
    return {name: error_at_call(tf, call) for name, call in rows.items()}
