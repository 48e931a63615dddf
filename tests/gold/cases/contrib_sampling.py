"""``contrib.training``'s samplers and resamplers.

Resamplers draw with an op seed, and return the same bits everywhere. Samplers have no seed: their cases record draws
that are certain (a probability of 0 or 1), and whether proportions are in the right range.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, dtype_name, error_at_call, failure, gold, running, static_shape, word, words

__all__: list[str] = []

Row = Callable[[Any], Any]
# A right sampler is farther from its mean than this many standard errors less than once in a million runs.
STANDARD_ERRORS = 5.0


def _number(tf: Any, count: int = 20, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()


def _is_even(tf: Any, number: Any) -> Any:
    return tf.cast(tf.equal(number % 2, 0), tf.float32)


def _variables(tf: Any) -> Result:
    collections = {
        "global": tf.global_variables(),
        "local": tf.local_variables(),
        "trainable": tf.trainable_variables(),
    }
    result = {name: words([variable.op.name for variable in found]) for name, found in collections.items()}
    for variable in collections["global"] + collections["local"]:
        result[variable.op.name + ".dtype"] = dtype_name(variable.dtype)
        result[variable.op.name + ".static"] = static_shape(variable)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for variable in collections["global"] + collections["local"]:
            result[variable.op.name] = session.run(variable)
    return result


# -- resampling ------------------------------------------------------------------------------


@gold
def rows_are_resampled_by_their_rates(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 12)
        rows = tf.range(6) + 10 * number
        rates = tf.constant([0.0, 0.5, 1.0, 2.0, 5.0, 0.1])
        return tf.contrib.training.resample_at_rate([rows, tf.as_string(rows)], rates, seed=7)

    return collect(tf, build)


@gold
def rates_of_other_types_are_resampled(tf: Any) -> Result:
    def build() -> Any:
        rates = tf.cast(_number(tf, 8), tf.float64) * tf.constant([0.2, 0.3, 1.0], tf.float64)
        first = tf.contrib.training.resample_at_rate([rates, tf.zeros([3, 2])], rates, seed=3, scope="mine")
        second = tf.contrib.training.resample_at_rate([tf.range(3)], tf.cast(rates, tf.float16), seed=4)
        return first + second

    return collect(tf, build)


@gold
def large_rates_are_resampled(tf: Any) -> Result:
    def build() -> Any:
        rates = 20.0 * tf.cast(1 + _number(tf, 6), tf.float32) * tf.constant([1.0, 0.0, 3.0])
        return tf.contrib.training.resample_at_rate([tf.range(3)], rates, seed=11, back_prop=True)

    return collect(tf, build)


@gold
def a_resampled_list_may_be_empty(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 3)
        return tf.contrib.training.resample_at_rate([tf.fill([4], number)], tf.zeros([4]), seed=1) + [number]

    return collect(tf, build)


@gold
def rows_are_resampled_by_their_weights(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 12)
        rows = tf.range(5) + 10 * number
        weights = tf.cast(1 + rows % 7, tf.float32)
        (rows,), rates = tf.contrib.training.weighted_resample([rows], weights, 1.5, mean_decay=0.9, seed=5)
        return [rows, rates]

    return collect(tf, build)


@gold
def resampled_rows_are_batched(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 12)
        rows = tf.range(5) + 10 * number
        weights = tf.cast(1 + rows % 7, tf.float32)
        (rows,), rates = tf.contrib.training.weighted_resample([rows], weights, 1.5, seed=5, scope="by_weight")
        return tf.train.batch([rows, rates], 4, enqueue_many=True, shapes=[[], []])

    return collect(tf, build)


@gold
def weights_have_tf1s_variables(tf: Any) -> Result:
    result = {}
    for name, options in {"plain": {}, "named": {"scope": "mine"}}.items():
        with tf.Graph().as_default():
            weights = tf.constant([1.0, 2.0])
            outputs, rates = tf.contrib.training.weighted_resample([tf.range(2)], weights, 1.0, **options)
            result.update({f"{name}.{key}": value for key, value in _variables(tf).items()})
            result[name + ".kind"] = word(type(outputs).__name__)
            result[name + ".static"] = static_shape(rates)
    return result


RESAMPLE_ROWS: Dict[str, Row] = {
    "rates_of_integers": lambda tf: tf.contrib.training.resample_at_rate([tf.range(2)], [1, 2]),
    "rates_of_strings": lambda tf: tf.contrib.training.resample_at_rate([tf.range(2)], ["a", "b"]),
    "a_list_of_rates": lambda tf: tf.contrib.training.resample_at_rate([tf.range(2)], [1.0, 2.0]),
    "no_inputs": lambda tf: tf.contrib.training.resample_at_rate([], [1.0, 2.0]),
    "none_as_inputs": lambda tf: tf.contrib.training.resample_at_rate(None, [1.0, 2.0]),
    "an_array": lambda tf: tf.contrib.training.resample_at_rate([np.zeros((2, 2))], [1.0, 2.0]),
    "a_list_of_weights": lambda tf: tf.contrib.training.weighted_resample([tf.range(2)], [1.0, 2.0], 1.0),
    "weights_of_integers": lambda tf: tf.contrib.training.weighted_resample([tf.range(2)], tf.constant([1, 2]), 1.0),
    "a_scope_twice": lambda tf: [
        tf.contrib.training.weighted_resample([tf.range(2)], tf.constant([1.0, 2.0]), 1.0, scope="s") for _ in range(2)
    ],
    "two_without_scope": lambda tf: [
        tf.contrib.training.weighted_resample([tf.range(2)], tf.constant([1.0, 2.0]), 1.0) for _ in range(2)
    ],
}


@gold
def resamplers_refuse_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda row=row: row(tf)) for name, row in RESAMPLE_ROWS.items()}


# -- rejection -------------------------------------------------------------------------------


@gold
def examples_are_kept_by_their_probability(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 23)
        return tf.contrib.training.rejection_sample(
            [number, tf.as_string(number)], lambda given: _is_even(tf, given[0]), 3
        )

    return collect(tf, build)


@gold
def a_list_of_one_that_was_sampled_is_a_list_of_one(tf: Any) -> Result:
    return collect(
        tf, lambda: tf.contrib.training.rejection_sample([_number(tf, 9)], lambda given: 1.0, 2, name="mine")
    )


@gold
def rows_are_kept_by_their_probability(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 4)
        rows = tf.reshape(tf.range(6) + 6 * number, [3, 2])
        return tf.contrib.training.rejection_sample(
            [rows, tf.range(3)], lambda given: _is_even(tf, given[1]), 3, enqueue_many=True, runtime_checks=True
        )

    return collect(tf, build)


@gold
def a_probability_that_is_none_is_found_out(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 4)
        return tf.contrib.training.rejection_sample(
            [number, number], lambda given: tf.cast(given[0], tf.float32) + 2.0, 2, runtime_checks=True
        )

    return failure(tf, build)


@gold
def a_probability_that_is_none_is_taken_where_nobody_checks(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 8)
        return tf.contrib.training.rejection_sample(
            [number, number], lambda given: tf.cast(given[0], tf.float32) - 3.0, 2
        )

    return collect(tf, build)


REJECTION_ROWS: Dict[str, Row] = {
    "no_tensors": lambda tf: tf.contrib.training.rejection_sample([], lambda given: 1.0, 2),
    "a_dict": lambda tf: tf.contrib.training.rejection_sample({"a": _number(tf)}, lambda given: 1.0, 2),
    "none": lambda tf: tf.contrib.training.rejection_sample(None, lambda given: 1.0, 2),
    "unknown_shape": lambda tf: tf.contrib.training.rejection_sample(
        [tf.py_func(lambda: 1.0, [], tf.float64)], lambda given: 1.0, 2
    ),
    "rows_of_a_scalar": lambda tf: tf.contrib.training.rejection_sample(
        [_number(tf)] * 2, lambda given: 1.0, 2, enqueue_many=True
    ),
    "different_numbers_of_rows": lambda tf: tf.contrib.training.rejection_sample(
        [tf.range(2), tf.range(3)], lambda given: 1.0, 2, enqueue_many=True
    ),
    "rows_of_one_tensor": lambda tf: tf.contrib.training.rejection_sample(
        [tf.range(2)], lambda given: 1.0, 2, enqueue_many=True
    ),
    "a_vector_of_probabilities": lambda tf: tf.contrib.training.rejection_sample(
        [_number(tf)], lambda given: tf.ones([2]), 2
    ),
    "a_checked_number": lambda tf: tf.contrib.training.rejection_sample(
        [_number(tf)], lambda given: 0.5, 2, runtime_checks=True
    ),
    "a_checked_number_that_is_too_large": lambda tf: tf.contrib.training.rejection_sample(
        [_number(tf)], lambda given: 1.5, 2, runtime_checks=True
    ),
    "a_text_as_probability": lambda tf: tf.contrib.training.rejection_sample([_number(tf)], lambda given: "a", 2),
    "a_negative_size": lambda tf: tf.contrib.training.rejection_sample([_number(tf)], lambda given: 1.0, -1),
}


@gold
def rejection_refuses_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda row=row: row(tf)) for name, row in REJECTION_ROWS.items()}


# -- stratification --------------------------------------------------------------------------


def _stratified(tf: Any, count: int, target: Any, initial: Any, batch_size: int = 4, **options: Any) -> Any:
    number = _number(tf, count)
    tensors = [number, tf.as_string(number)]
    data, labels = tf.contrib.training.stratified_sample(
        tensors, number % 3, target, batch_size, init_probs=initial, **options
    )
    return list(data) + [labels]


@gold
def classes_that_are_as_wished_are_kept_whole(tf: Any) -> Result:
    thirds = np.array([1, 1, 1], np.float32) / 3
    return collect(tf, lambda: _stratified(tf, 30, thirds, thirds))


@gold
def classes_that_nobody_wishes_for_are_dropped(tf: Any) -> Result:
    return collect(tf, lambda: _stratified(tf, 60, [0.5, 0.0, 0.5], [0.25, 0.5, 0.25], name="mine"))


@gold
def classes_that_are_not_there_need_not_be_wished_for(tf: Any) -> Result:
    return collect(tf, lambda: _stratified(tf, 30, [0.5, 0.25, 0.25, 0.0], [0.5, 0.25, 0.25, 0.0]))


@gold
def rows_are_stratified(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 10)
        labels = tf.range(4) % 2
        rows = tf.reshape(tf.range(8) + 8 * number, [4, 2])
        data, labels = tf.contrib.training.stratified_sample(
            [rows], labels, [0.0, 1.0], 3, init_probs=[0.5, 0.5], enqueue_many=True, queue_capacity=5
        )
        return list(data) + [labels]

    return collect(tf, build)


def _fails(tf: Any, target: Any, initial: Any, offset: int = 0) -> Result:
    def build() -> Any:
        number = _number(tf, 9)
        data, labels = tf.contrib.training.stratified_sample(
            [number], number % 2 + offset, target, 2, init_probs=initial
        )
        return list(data) + [labels]

    return failure(tf, build)


@gold
def labels_that_are_no_class_are_found_out(tf: Any) -> Result:
    return _fails(tf, [0.5, 0.5], [0.5, 0.5], offset=1)


@gold
def negative_labels_are_found_out(tf: Any) -> Result:
    return _fails(tf, [0.5, 0.5], [0.5, 0.5], offset=-1)


@gold
def wished_proportions_that_do_not_add_up_are_found_out(tf: Any) -> Result:
    return _fails(tf, [0.5, 0.25], [0.5, 0.5])


@gold
def initial_proportions_that_do_not_add_up_are_found_out(tf: Any) -> Result:
    return _fails(tf, [0.5, 0.5], [0.75, 0.5])


@gold
def a_wished_class_that_is_not_there_is_found_out(tf: Any) -> Result:
    return _fails(tf, [0.5, 0.5], [1.0, 0.0])


@gold
def an_estimate_has_tf1s_variable(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _number(tf, 10, num_epochs=None)
        tf.contrib.training.stratified_sample([number], number % 3, [0.5, 0.25, 0.25], 2)
        with tf.variable_scope("model"):
            tf.contrib.training.stratified_sample([number], number % 3, [0.5, 0.25, 0.25], 2, name="mine")
        return _variables(tf)


def _try(**options: Any) -> Row:
    def call(tf: Any) -> Any:
        arguments = {
            "tensors": [_number(tf)],
            "labels": _number(tf),
            "target_probs": [0.5, 0.5],
            "batch_size": 2,
            "init_probs": [0.5, 0.5],
        }
        arguments.update({name: value(tf) if callable(value) else value for name, value in options.items()})
        return tf.contrib.training.stratified_sample(**arguments)

    return call


STRATIFIED_ROWS: Dict[str, Row] = {
    "fine": _try(),
    "a_tensor": _try(tensors=_number),
    "a_dict": _try(tensors=lambda tf: {"a": _number(tf)}),
    "a_generator": _try(tensors=lambda tf: (_number(tf) for _ in range(2))),
    "none": _try(tensors=None),
    "a_tuple": _try(tensors=lambda tf: (_number(tf), _number(tf))),
    "a_label_that_is_a_vector": _try(labels=lambda tf: tf.range(2)),
    "a_label_of_unknown_rank": _try(labels=lambda tf: tf.py_func(lambda: 1, [], tf.int64)),
    "a_label_that_is_a_fraction": _try(labels=lambda tf: tf.cast(_number(tf), tf.float32)),
    "an_int64_label": _try(labels=lambda tf: tf.cast(_number(tf), tf.int64)),
    "rows_without_rows_of_labels": _try(enqueue_many=True),
    "different_numbers_of_rows": _try(
        tensors=lambda tf: [tf.range(3)], labels=lambda tf: tf.range(2), enqueue_many=True
    ),
    "rows": _try(tensors=lambda tf: [tf.range(2)], labels=lambda tf: tf.range(2), enqueue_many=True),
    "targets_of_unknown_shape": _try(target_probs=lambda tf: tf.py_func(lambda: 1.0, [], tf.float32)),
    "a_matrix_of_targets": _try(target_probs=[[0.5, 0.5]]),
    "initials_of_unknown_shape": _try(init_probs=lambda tf: tf.py_func(lambda: 1.0, [], tf.float32)),
    "a_matrix_of_initials": _try(init_probs=[[0.5, 0.5]]),
    "different_numbers_of_classes": _try(init_probs=[0.5, 0.25, 0.25]),
    "negative_targets": _try(target_probs=[1.5, -0.5]),
    "negative_initials": _try(init_probs=[1.5, -0.5]),
    "targets_that_do_not_add_up": _try(target_probs=[0.5, 0.25]),
    "targets_of_integers": _try(target_probs=[1, 0]),
    "targets_of_float64": _try(target_probs=lambda tf: tf.constant([0.5, 0.5], tf.float64)),
    "no_initials": _try(init_probs=None),
    "no_initials_for_targets_of_unknown_shape": _try(
        init_probs=None, target_probs=lambda tf: tf.py_func(lambda: 1.0, [], tf.float32)
    ),
    "an_unknown_shape": _try(tensors=lambda tf: [tf.py_func(lambda: 1.0, [], tf.float64)]),
    "capacity_zero": _try(queue_capacity=0),
    "no_threads": _try(threads_per_queue=0),
}


@gold
def stratification_refuses_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda row=row: row(tf)) for name, row in STRATIFIED_ROWS.items()}


# -- proportions -----------------------------------------------------------------------------


def _are_near(counts: Any, proportions: Any) -> np.ndarray:
    """Whether every count lies within STANDARD_ERRORS of what *proportions* let expect."""
    total, expected = np.sum(counts), np.asarray(proportions)
    errors = np.sqrt(expected * (1 - expected) / total)
    return np.array(np.all(np.abs(counts / total - expected) <= STANDARD_ERRORS * errors))


@gold
def kept_examples_have_the_proportions_of_their_probabilities(tf: Any) -> Result:
    """Classes 0 to 3, equally frequent, are kept with 0.1, 0.2, 0.3 and 0.4."""
    with tf.Graph().as_default():
        number = _number(tf, 4, num_epochs=None)
        (kept,) = tf.contrib.training.rejection_sample(
            [number], lambda given: 0.1 + 0.1 * tf.cast(given[0], tf.float32), 100
        )
        with running(tf) as session:
            counts = sum(np.bincount(session.run(kept), minlength=4) for _ in range(40))
    return {"near": _are_near(counts, [0.1, 0.2, 0.3, 0.4])}


@gold
def stratified_examples_have_the_wished_proportions(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _number(tf, 10, num_epochs=None)
        label = tf.cast(number >= 6, tf.int32) + tf.cast(number >= 9, tf.int32)
        wished = [0.2, 0.5, 0.3]
        _, labels = tf.contrib.training.stratified_sample([number], label, wished, 100, init_probs=[0.6, 0.3, 0.1])
        with running(tf) as session:
            counts = sum(np.bincount(session.run(labels), minlength=3) for _ in range(40))
    return {"near": _are_near(counts, wished)}


@gold
def estimated_examples_have_the_wished_proportions(tf: Any) -> Result:
    """The first half is left out: the estimate is still on its way."""
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(10, seed=1).dequeue()
        label = tf.cast(number >= 7, tf.int32)
        wished = [0.4, 0.6]
        _, labels = tf.contrib.training.stratified_sample([number], label, wished, 100)
        with running(tf) as session:
            for _ in range(20):
                session.run(labels)
            counts = sum(np.bincount(session.run(labels), minlength=2) for _ in range(20))
    return {"near": _are_near(counts, wished)}


@gold
def an_estimate_takes_no_examples_for_itself(tf: Any) -> Result:
    """Of 1000 examples that are as wished nearly all are kept, if none went into the estimate alone."""

    def build() -> Any:
        number = _number(tf, 1000)
        return tf.contrib.training.stratified_sample([number], number % 2, [0.5, 0.5], 10)[1]

    return {"kept_most": np.array(len(collect(tf, build)["out"]) > 800)}
