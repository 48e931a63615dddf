"""``as_dataset`` and ``input_pipeline``."""

from __future__ import annotations

import gc
import pathlib
import sys
import threading
import warnings
from typing import Any, Dict, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import image, readers, train
from queuecompat.errors import NativePipelineWarning

# TensorFlow's AutoGraph, on Python 3.13.
pytestmark = pytest.mark.filterwarnings("ignore:.*Support for arbitrary keyword arguments:DeprecationWarning")

tf1 = tf.compat.v1
ROOT = pathlib.Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold"


def values(dataset: tf.data.Dataset) -> List[Any]:
    return list(dataset.as_numpy_iterator())


@tf.function
def total(data: tf.data.Dataset) -> tf.Tensor:
    found = tf.constant(0)
    for batch in data:
        found += tf.reduce_sum(batch)
    return found


def numbers(count: int, size: int, num_epochs: int = 1, **batching: Any) -> tf.Tensor:
    number = train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()
    return train.batch([number], size, **batching)


class Overlaid:
    """*real* with names of *ours* on top: TF1's namespace without TF1's behaviour, for the gold cases."""

    def __init__(self, real: Any, **ours: Any) -> None:
        self.__dict__.update(ours)
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


NAMESPACE = Overlaid(
    tf1,
    train=Overlaid(tf1.train, **{name: getattr(train, name) for name in train.__all__}),
    image=Overlaid(tf1.image, **{name: getattr(image, name) for name in image.__all__}),
    random_crop=image.random_crop,
    **{name: getattr(readers, name) for name in readers.__all__},
)


def _stream_cases() -> Dict[str, Any]:
    sys.path.insert(0, str(GOLD))
    from cases import streams
    from cases.harness import CASES

    return {name: case for name, case in CASES.items() if case.__module__ == streams.__name__}


@pytest.mark.parametrize("name", sorted(_stream_cases()))
def test_seeded_streams_have_the_bits_of_tf1(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from cases import streams

    def collect(namespace: Any, build: Any, max_steps: Any = None) -> Dict[str, np.ndarray]:
        dataset = queuecompat.as_dataset(build, strict=True)
        steps = values(dataset if max_steps is None else dataset.take(max_steps))
        named = [step if isinstance(step, dict) else dict(enumerate(step)) for step in steps]
        return {str(key): np.concatenate([np.ravel(step[key]) for step in named]) for key in named[0]}

    monkeypatch.setattr(streams, "collect", collect)
    if name == "rotated_and_recoloured_images_are_bit_exact":
        pytest.skip("per_image_standardization sums in a different order in one program; sessions have the same bits")
    given = _stream_cases()[name](NAMESPACE)
    recorded = np.load(GOLD / "recorded" / f"{name}.npz")
    for key, array in given.items():
        np.testing.assert_array_equal(array, recorded[key].ravel(), err_msg=key)


def test_a_file_that_imports_compat_v1_standardizes_as_tf1() -> None:
    """It had TensorFlow 2's function there: other last bits, and floats of integers."""

    def input_fn() -> Any:
        number = train.range_input_producer(3, shuffle=False, num_epochs=1).dequeue()
        pixels = tf.cast(tf.reshape(tf.range(75), [5, 5, 3]) * number, tf.uint8)
        images = [tf1.image.per_image_standardization(one) for one in (pixels, tf.cast(pixels, tf.float32))]
        return train.batch(images, 3)

    [(integers, floats)] = values(queuecompat.as_dataset(input_fn))
    pixels = (np.arange(75).reshape(5, 5, 3) * np.arange(3).reshape(3, 1, 1, 1)).astype(np.uint8)
    assert integers.dtype == np.uint8
    with tf.Graph().as_default(), tf1.Session() as session:
        expected = session.run([image.per_image_standardization(one) for one in pixels.astype(np.float32)])
    np.testing.assert_array_equal(floats, expected)


def test_elements_have_the_structure_and_the_shapes_of_what_was_returned() -> None:
    def input_fn(size: int, *, scale: float) -> Any:
        batch = numbers(6, size)
        scaled = tf.cast(batch, tf.float32) * scale
        sparse = tf.sparse.from_dense(tf.stack([batch, batch]))
        return {"pair": (batch, [scaled]), "sparse": sparse, "ragged": tf.RaggedTensor.from_row_lengths(batch, [1, 2])}

    dataset = queuecompat.as_dataset(input_fn, 3, scale=2.0)
    # tf.data takes a list for a tensor; it becomes a tuple.
    assert dataset.element_spec["pair"] == (tf.TensorSpec([3], tf.int32), (tf.TensorSpec([3], tf.float32),))
    first = next(iter(dataset))
    assert first["pair"][1][0].numpy().tolist() == [0.0, 2.0, 4.0]
    assert tf.sparse.to_dense(first["sparse"]).numpy().tolist() == [[0, 1, 2]] * 2
    assert first["ragged"].to_list() == [[0], [1, 2]]


def test_none_stays_none() -> None:
    dataset = queuecompat.as_dataset(lambda: (numbers(4, 2), None))
    assert [second for _, second in dataset] == [None, None]


def test_an_element_that_is_one_tensor_is_not_a_tuple() -> None:
    dataset = queuecompat.as_dataset(numbers, 5, 2, allow_smaller_final_batch=True)
    assert dataset.element_spec == tf.TensorSpec([None], tf.int32)
    assert [batch.tolist() for batch in values(dataset)] == [[0, 1], [2, 3], [4]]


def test_how_many_batches_there_are_is_known() -> None:
    assert queuecompat.as_dataset(numbers, 10, 4, num_epochs=2).cardinality() == 5
    assert queuecompat.as_dataset(numbers, 10, 4, num_epochs=None).cardinality() == tf.data.INFINITE_CARDINALITY


@pytest.mark.parametrize("rows", [5, 6])
def test_shuffled_rows_without_end_have_no_end(rows: int) -> None:
    dataset = queuecompat.as_dataset(lambda: train.range_input_producer(rows, seed=3).dequeue())
    assert dataset.cardinality() == tf.data.INFINITE_CARDINALITY
    assert len(values(dataset.take(3 * rows))) == 3 * rows


def test_dimensions_have_values_as_in_tf1() -> None:
    def input_fn() -> Any:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        rows = train.batch([tf.fill([4], number)], 3)
        size = rows.get_shape()[0].value * rows.shape[1].value
        return tf.reshape(rows, [size]), tf.fill([2], rows.get_shape()[1])

    flat, pair = values(queuecompat.as_dataset(input_fn, strict=True))[0]
    assert flat.shape == (12,) and pair.tolist() == [4, 4]
    assert isinstance(tf.zeros([3]).shape[0], int)


def test_other_missing_attributes_are_errors_of_the_function() -> None:
    calls = []

    def input_fn() -> Any:
        calls.append(1)
        return numbers(4, 2).values

    with pytest.raises(AttributeError, match="values"):
        queuecompat.as_dataset(input_fn)
    assert len(calls) == 1


def test_each_iterator_begins_with_the_first_epoch() -> None:
    def input_fn() -> Any:
        rows = train.slice_input_producer([np.arange(8)], num_epochs=2, seed=5)
        return train.batch(rows, 4)

    dataset = queuecompat.as_dataset(input_fn)
    first, second = values(dataset), values(dataset)
    np.testing.assert_array_equal(first, second)
    assert sorted(np.ravel(first[:2])) == list(range(8))
    assert np.ravel(first[:2]).tolist() != np.ravel(first[2:]).tolist()


def test_unseeded_runs_differ() -> None:
    def input_fn() -> Any:
        return train.batch(train.slice_input_producer([np.arange(1000)], num_epochs=1), 1000)

    orders = [values(queuecompat.as_dataset(input_fn))[0].tolist() for _ in range(2)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(1000))


def test_files_are_read(tmp_path: pathlib.Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(f"{name}1\n{name}2\n")

    def input_fn(paths: List[str]) -> Any:
        queue = train.string_input_producer(paths, num_epochs=1, shuffle=False)
        key, line = readers.TextLineReader().read(queue)
        return train.batch([key, line], 2)

    paths = [str(tmp_path / name) for name in "ab"]
    lines = [line.tolist() for _, line in values(queuecompat.as_dataset(input_fn, paths))]
    assert lines == [[b"a1", b"a2"], [b"b1", b"b2"]]


def counted(use_resource: bool) -> Any:
    """Batches, and how often a session ran: 1.15.5 gave ([0 1], 1), ([2 3], 2), ([4 5], 3)."""
    count = tf1.get_variable("count", [], tf.int64, tf1.zeros_initializer(), use_resource=use_resource)
    return {"batch": numbers(6, 2), "count": tf1.assign_add(count, 1)}


COUNTED = [([0, 1], 1), ([2, 3], 2), ([4, 5], 3)]


def test_a_variable_that_counts_beside_the_batches_has_its_next_value_in_each_element() -> None:
    given = values(queuecompat.as_dataset(lambda: counted(use_resource=True), strict=True))
    assert [(one["batch"].tolist(), one["count"]) for one in given] == COUNTED


@pytest.mark.filterwarnings("ignore::queuecompat.errors.NativePipelineWarning")
def test_a_reference_variable_counts_in_a_session_that_feeds_the_dataset() -> None:
    dataset = queuecompat.as_dataset(lambda: counted(use_resource=False))
    for _ in range(2):
        assert [(one["batch"].tolist(), one["count"]) for one in values(dataset)] == COUNTED


def test_a_variable_that_is_returned_is_its_value() -> None:
    dataset = queuecompat.as_dataset(lambda: (numbers(4, 2), tf1.get_variable("rate", initializer=0.5)), strict=True)
    assert [float(rate) for _, rate in values(dataset)] == [0.5, 0.5]


@pytest.mark.parametrize("names", [("scale", "offset"), (None, None)])
def test_several_variables_of_one_step_have_each_its_own_value(names: Any) -> None:
    def input_fn() -> Any:
        scale, offset = (tf1.Variable(value, name=name) for value, name in zip((2.5, 1.0), names))
        number = tf.cast(train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue(), tf.float32)
        return train.batch([number * scale + offset], 2), scale - offset

    given = values(queuecompat.as_dataset(input_fn, strict=True))
    assert [(batch.tolist(), float(beside)) for batch, beside in given] == [([1.0, 3.5], 1.5), ([6.0, 8.5], 1.5)]


def test_a_variable_of_eager_mode_is_still_refused() -> None:
    variable = tf.Variable(1)
    with pytest.raises(ValueError, match="QC503"):
        queuecompat.as_dataset(lambda: (numbers(4, 2), variable))


EAGER: Dict[str, Any] = {}


def test_an_input_function_that_runs_its_pipeline_is_refused_at_that_line() -> None:
    """TensorFlow said that a placeholder of queuecompat's own was not fed."""

    def trains() -> Any:
        batch = numbers(4, 2)
        with tf.compat.v1.train.MonitoredTrainingSession() as session:
            return session.run(batch)

    line = f"test_elements.py:{trains.__code__.co_firstlineno + 3}"
    with pytest.raises(ValueError, match=rf"(?s)QC508 .*{line}\n.*for batch in dataset"):
        queuecompat.as_dataset(trains)


def test_an_input_function_may_run_what_does_not_depend_on_its_pipeline() -> None:
    def counts() -> Any:
        with tf.compat.v1.Session() as session:
            return numbers(4, int(session.run(tf.constant(2))))

    assert len(list(queuecompat.as_dataset(counts))) == 2


@pytest.mark.parametrize(
    "input_fn",
    [
        lambda: numbers(4, 2) + EAGER["tensor"],
        lambda: numbers(4, 2) + EAGER["variable"],
        lambda: train.batch(train.slice_input_producer([EAGER["rows"]]), 2),
    ],
)
def test_what_eager_mode_made_is_refused_at_the_line_that_uses_it(input_fn: Any) -> None:
    EAGER.update(tensor=tf.constant(1), variable=tf.Variable(1), rows=tf.constant([1, 2, 3]))
    line = f"test_elements.py:{input_fn.__code__.co_firstlineno}"
    with pytest.raises(ValueError, match=rf"(?s)QC507 .*of eager mode.*{line}\n.*numpy\(\)"):
        queuecompat.as_dataset(input_fn)
    EAGER.update({name: value.numpy() for name, value in EAGER.items()})
    assert queuecompat.as_dataset(input_fn).element_spec is not None


def test_variables_and_tables_are_initialised_once_and_live_as_long_as_the_dataset() -> None:
    calls = []

    def input_fn() -> Any:
        def drawn() -> np.ndarray:
            calls.append(None)
            return np.float32(3.0)

        offset = tf1.get_variable("offset", initializer=tf1.py_func(drawn, [], tf.float32), validate_shape=False)
        doubled = tf1.get_variable("doubled", initializer=10.0)
        words = tf.lookup.KeyValueTensorInitializer(tf.range(4, dtype=tf.int64), ["zero", "one", "two", "three"])
        table = tf.lookup.StaticHashTable(words, "?")
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        value = tf.cast(number, tf.float32) + doubled
        batch, word = train.batch([value, table.lookup(tf.cast(number, tf.int64))], 2)
        return batch + tf.reshape(offset, []), word

    derived = queuecompat.as_dataset(input_fn, strict=True).map(lambda batch, word: (batch + 1, word))
    gc.collect()
    for _ in range(2):
        assert [(b.tolist(), w.tolist()) for b, w in values(derived)] == [
            ([14.0, 15.0], [b"zero", b"one"]),
            ([16.0, 17.0], [b"two", b"three"]),
        ]
    assert len(calls) == 1


def test_tensors_of_two_queues_are_zipped_and_end_with_the_shorter() -> None:
    dataset = queuecompat.as_dataset(lambda: (numbers(6, 2), numbers(100, 3)), strict=True)
    pairs = [(a.tolist(), b.tolist()) for a, b in values(dataset)]
    assert pairs == [([0, 1], [0, 1, 2]), ([2, 3], [3, 4, 5]), ([4, 5], [6, 7, 8])]


def test_two_consumers_of_one_queue_share_its_elements() -> None:
    def input_fn() -> Any:
        queue = train.range_input_producer(400, num_epochs=1, shuffle=False)
        return [train.batch([queue.dequeue()], 5, capacity=5) for _ in range(2)]

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    for _ in range(2):
        given = np.ravel([np.concatenate(pair) for pair in values(dataset)]).tolist()
        assert len(given) == len(set(given))
        assert len(given) >= 200


def test_further_steps_of_the_users_own_and_loops_in_functions() -> None:
    dataset = queuecompat.as_dataset(numbers, 6, 2).map(lambda batch: batch * 10).take(2)

    assert int(total(dataset)) == 60


def test_a_dataset_can_be_saved_and_loaded(tmp_path: pathlib.Path) -> None:
    queuecompat.as_dataset(numbers, 6, 2).save(str(tmp_path))
    assert [batch.tolist() for batch in values(tf.data.Dataset.load(str(tmp_path)))] == [[0, 1], [2, 3], [4, 5]]


def test_keras_trains_from_an_input_function_and_knows_its_end() -> None:
    def input_fn() -> Any:
        x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
        rows = train.slice_input_producer([x, x.sum(axis=1, keepdims=True)], num_epochs=1)
        return tuple(train.shuffle_batch(rows, 16, capacity=64, min_after_dequeue=16))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(queuecompat.as_dataset(input_fn), epochs=3, verbose=0, shuffle=False)
    assert len(history.history["loss"]) == 3
    assert history.history["loss"][-1] < history.history["loss"][0]


def test_the_decorated_function_is_called_with_its_own_arguments() -> None:
    @queuecompat.input_pipeline
    def pipeline(count: int, *, size: int) -> Any:
        """What it gives."""
        return numbers(count, size)

    assert pipeline.__doc__ == "What it gives."
    assert [batch.tolist() for batch in values(pipeline(4, size=2))] == [[0, 1], [2, 3]]


def test_a_decorated_function_that_another_one_calls_returns_its_tensors() -> None:
    @queuecompat.input_pipeline
    def numbers() -> Any:
        return tf.train.batch([tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()], 2)

    @queuecompat.input_pipeline
    def doubled() -> Any:
        return numbers() * 2

    assert [batch.numpy().tolist() for batch in doubled()] == [[0, 2], [4, 6]]


def test_the_decorator_takes_what_as_dataset_takes() -> None:
    options = tf.data.Options()
    options.deterministic = False

    @queuecompat.input_pipeline(strict=True, options=options)
    def pipeline(**batching: Any) -> Any:
        return numbers(6, 3, **batching)

    assert pipeline().options().deterministic is False
    with pytest.raises(RuntimeError, match="QC305"):
        pipeline(shared_name="a_name")


def test_tf1s_names_are_ours_only_inside_the_function() -> None:
    def input_fn() -> Any:
        queue = tf.train.range_input_producer(4, num_epochs=1, shuffle=False)  # type: ignore[attr-defined]
        return tf1.train.batch([queue.dequeue()], 2)

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    assert [batch.tolist() for batch in values(dataset)] == [[0, 1], [2, 3]]
    assert not hasattr(tf.train, "range_input_producer")


def test_options_are_the_datasets() -> None:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.autotune.enabled = True
    options.autotune.ram_budget = 10**8
    dataset = queuecompat.as_dataset(numbers, 4, 2, options=options)
    assert dataset.options().deterministic is False
    assert dataset.options().threading.private_threadpool_size == 3
    assert dataset.options().autotune.enabled is True
    assert dataset.options().autotune.ram_budget == 10**8
    assert [batch.tolist() for batch in values(dataset)] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("wrong", [{"shuffle": "global"}, queuecompat.options(shuffle="global")])
def test_options_that_are_not_of_tensorflow_are_refused(wrong: Any) -> None:
    """It was an AttributeError: the dictionary has no '_to_proto'."""
    with pytest.raises(TypeError, match=r"(?s)QC531 the option options cannot be a .* as in shuffle='global'"):
        queuecompat.as_dataset(numbers, 4, 2, options=wrong)


@pytest.mark.parametrize(
    ("batched", "says"),
    [
        (lambda number: train.maybe_batch([number], False, 2), "QC303 'batch' can never produce"),
        (lambda number: train.maybe_batch([number], tf.constant(False), 20), "QC303 'batch' can never produce"),
        (
            lambda number: train.maybe_shuffle_batch([number], 2, 10, 1, False),
            "QC303 'shuffle_batch' can never",
        ),
        (lambda number: queuecompat.contrib.training.bucket([number], 7, 2, 3), "QC303 'bucket' can never produce"),
        (lambda number: train.shuffle_batch([number], 2, 10, -5), "min_after_dequeue -5 must be >= 0"),
    ],
)
def test_a_pipeline_that_can_never_produce_an_element_fails_at_the_first(batched: Any, says: str) -> None:
    """With keep_input=False every example came; a bucket that there is not was an empty dataset, or waited forever."""

    def input_fn() -> Any:
        return batched(train.range_input_producer(8).dequeue())

    elements = iter(queuecompat.as_dataset(input_fn))
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        next(elements)


def test_an_impossible_batch_that_is_not_returned_is_not_an_error() -> None:
    def input_fn() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        train.maybe_batch([number], False, 2)
        return numbers(4, 2)

    assert [batch.tolist() for batch in values(queuecompat.as_dataset(input_fn))] == [[0, 1], [2, 3]]


# What cannot be compiled.


def named(count: int) -> Any:
    number = train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()
    return train.batch([number], 3, shared_name="a_name")


def test_what_cannot_be_compiled_runs_in_a_session_and_is_said_once() -> None:
    with pytest.warns(NativePipelineWarning, match="QC204") as caught:
        dataset = queuecompat.as_dataset(named, 9)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert [batch.tolist() for batch in values(dataset)] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert dataset.element_spec == tf.TensorSpec([3], tf.int32)


def test_strictly_it_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"QC305 .*QC204"):
        queuecompat.as_dataset(named, 9, strict=True)


def test_the_threads_of_a_session_end_with_the_iterator() -> None:
    with pytest.warns(NativePipelineWarning):
        dataset = queuecompat.as_dataset(named, 100_000)
    before = set(threading.enumerate())
    iterator = iter(dataset)
    next(iterator)
    del iterator
    gc.collect()
    for thread in set(threading.enumerate()) - before:
        if "stall-watch" not in thread.name and not isinstance(thread, threading._DummyThread):
            thread.join(10)
            assert not thread.is_alive(), thread


def test_the_first_real_error_reaches_the_loop() -> None:
    def input_fn() -> Any:
        queue = train.string_input_producer(["/absent/file"], num_epochs=1)
        _, line = readers.TextLineReader().read(queue)
        return train.batch([line], 2, shared_name="a_name")

    with pytest.warns(NativePipelineWarning):
        native = queuecompat.as_dataset(input_fn)
    with pytest.raises(tf.errors.OpError, match="/absent/file"):
        values(native)


@pytest.mark.parametrize("given", [[1, 2], {"x": 1}, None])
def test_the_result_of_an_input_function_is_refused_in_place_of_the_function(given: Any) -> None:
    with pytest.raises(TypeError, match=r"QC515 as_dataset got an object of type .*, which is not a function"):
        queuecompat.as_dataset(given)


@pytest.mark.parametrize("given", [None, 3, "text", object(), [None], {"a": 1.5}])
def test_a_value_that_is_not_a_tensor_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="QC502"):
        queuecompat.as_dataset(lambda: given)


def test_a_dataset_is_refused() -> None:
    """It was a dataset that endlessly made the same dataset, for ``fit`` and ``for`` loops to hang on."""
    with pytest.raises(TypeError, match=r"(?s)QC502 .*needs no as_dataset: call it"):
        queuecompat.as_dataset(lambda: {"x": tf.data.Dataset.range(4).batch(2)})


def test_tensors_from_elsewhere_are_refused() -> None:
    eager = tf.constant(1)
    with tf.Graph().as_default():
        elsewhere = tf.constant(1)
    with pytest.raises(ValueError, match=r"QC503 .*of eager mode"):
        queuecompat.as_dataset(lambda: eager)
    with pytest.raises(ValueError, match=r"QC503 .*of a different graph"):
        queuecompat.as_dataset(lambda: elsewhere)


def test_a_placeholder_cannot_be_fed() -> None:
    with pytest.raises(ValueError, match=r"QC504 .*QC201"):
        queuecompat.as_dataset(lambda: numbers(4, 2) + tf1.placeholder(tf.int32, []))
    with pytest.raises(ValueError, match=r"QC504 .*QC203"):
        queuecompat.as_dataset(lambda: numbers(4, tf1.placeholder(tf.int32, [])))
    with_default = queuecompat.as_dataset(lambda: numbers(4, 2) + tf1.placeholder_with_default(10, []))
    assert values(with_default)[0].tolist() == [10, 11]


@pytest.mark.parametrize(
    "size", [lambda: tf1.placeholder_with_default(2, []), lambda: tf.random.uniform([], 2, 3, tf.int32)]
)
def test_a_batch_size_that_is_known_at_each_step_and_not_fed_comes_from_a_session(size: Any) -> None:
    """It was refused as a placeholder (QC504), with the advice to use ``placeholder_with_default``."""
    with pytest.warns(NativePipelineWarning, match="QC203"):
        dataset = queuecompat.as_dataset(lambda: numbers(4, size()))
    assert [batch.tolist() for batch in values(dataset)] == [[0, 1], [2, 3]]


def test_errors_of_the_input_function_are_raised_unchanged() -> None:
    def input_fn() -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        queuecompat.as_dataset(input_fn)
