"""``tf.contrib.metrics`` with contrib's order of arguments, and ``tf.contrib.rnn``'s stacks of layers."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, collect, error_at_call, gold, static_shape, word, words

__all__: list[str] = []

_PREDICTIONS = np.array([0, 1, 1, 0, 1, 1], np.int64)
_LABELS = np.array([0, 0, 1, 1, 1, 0], np.int64)
_SCORES = np.array([0.1, 0.7, 0.8, 0.4, 0.9, 0.3], np.float32)
_WEIGHTS = np.array([1, 2, 0, 1, 1, 3], np.float32)


@gold
def streaming_metrics_take_predictions_first(tf: Any) -> Result:
    metrics = tf.contrib.metrics
    with tf.Graph().as_default():
        predicted, labels, weights = tf.constant(_PREDICTIONS), tf.constant(_LABELS), tf.constant(_WEIGHTS)
        scores = tf.constant(_SCORES)
        truth = tf.cast(labels, tf.bool)
        table = tf.constant(np.random.RandomState(0).rand(6, 4).astype(np.float32))
        chosen = tf.reshape(labels, [6, 1])
        made = {
            "accuracy": metrics.streaming_accuracy(predicted, labels),
            "weighted": metrics.streaming_accuracy(predicted, labels, weights, name="named"),
            "by_name": metrics.streaming_accuracy(labels=labels, predictions=predicted, weights=weights),
            "auc": metrics.streaming_auc(scores, truth, None, 20),
            "precision": metrics.streaming_precision(predicted, labels),
            "recall": metrics.streaming_recall(predicted, labels, weights=weights),
            "true_positives": metrics.streaming_true_positives(predicted, labels),
            "false_positives": metrics.streaming_false_positives(predicted, labels, weights),
            "false_negatives": metrics.streaming_false_negatives(predicted, labels),
            "true_negatives": metrics.streaming_true_negatives(predicted, labels),
            "at_thresholds": metrics.streaming_precision_at_thresholds(scores, truth, [0.25, 0.75]),
            "counts_at_thresholds": metrics.streaming_true_positives_at_thresholds(scores, truth, [0.25, 0.75]),
            "absolute": metrics.streaming_mean_absolute_error(scores, tf.cast(labels, tf.float32)),
            "squared": metrics.streaming_mean_squared_error(scores, tf.cast(labels, tf.float32), weights),
            "root": metrics.streaming_root_mean_squared_error(scores, tf.cast(labels, tf.float32)),
            "iou": metrics.streaming_mean_iou(predicted, labels, 2),
            "mean": metrics.streaming_mean(scores, weights),
            "mean_tensor": metrics.streaming_mean_tensor(scores),
            "less": metrics.streaming_percentage_less(scores, 0.5),
            "specificity": metrics.streaming_specificity_at_sensitivity(scores, truth, 0.6),
            "precision_at_k": metrics.streaming_sparse_precision_at_k(table, chosen, 2),
            "recall_at_k": metrics.streaming_sparse_recall_at_k(table, chosen, 2, class_id=1),
            "average": metrics.streaming_sparse_average_precision_at_k(table, chosen, 3),
        }
        values, updates = metrics.aggregate_metric_map(made)
        listed = metrics.aggregate_metrics(made["accuracy"], made["mean"])
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for _ in range(2):
                session.run(updates)
            # Their last bits are those of the machine's division and square root of sums.
            result = {name: np.round(np.float64(value), 5) for name, value in session.run(values).items()}
            result["at_once"] = np.array(
                session.run(
                    [metrics.accuracy(predicted, labels), metrics.accuracy(predicted, labels, weights, name="named")]
                ),
                np.float32,
            )
        result["listed"] = words([type(listed).__name__, type(listed[0]).__name__, str(len(listed[1]))])
        result["sets"] = np.array([len(tf.local_variables())])
        return result


@gold
def metrics_refuse_what_contrib_refused(tf: Any) -> Result:
    metrics = tf.contrib.metrics
    calls: Dict[str, Callable[[], Any]] = {
        "floats": lambda: metrics.accuracy(tf.constant([1.0]), tf.constant([1.0])),
        "two_types": lambda: metrics.accuracy(tf.constant([1]), tf.constant([True])),
        "two_shapes": lambda: metrics.accuracy(tf.constant([1]), tf.constant([1, 2, 3])),
        "two_long_shapes": lambda: metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 2, 3])),
        "no_metric": lambda: metrics.aggregate_metrics(),
        "two_shapes_streaming": lambda: metrics.streaming_accuracy(tf.constant([1, 2]), tf.constant([1, 2, 3])),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


class _Cell(object):
    """Adds what comes in to what was, and shifts it."""

    def __init__(self, tf: Any, shift: float) -> None:
        self._tf, self._shift = tf, shift
        self.state_size = self.output_size = 2

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        total = state + self._tf.reduce_sum(inputs, axis=1, keepdims=True) * 0.5 + self._shift
        return total, total

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._tf.zeros([batch_size, 2], dtype)


def _cells(tf: Any, count: int = 2) -> List[Any]:
    return [[_Cell(tf, number + side) for number in range(count)] for side in (0.0, 0.25)]


@gold
def layers_are_stacked_in_both_directions(tf: Any) -> Result:
    rnn = tf.contrib.rnn
    inputs = np.arange(24, dtype=np.float32).reshape(2, 4, 3) / 8

    def build() -> Dict[str, Any]:
        forward, backward = _cells(tf)
        dynamic = rnn.stack_bidirectional_dynamic_rnn(
            forward, backward, tf.constant(inputs), dtype=tf.float32, sequence_length=[4, 2]
        )
        steps = [tf.constant(inputs[:, step]) for step in range(4)]
        started = [tf.ones([2, 2])] * 2
        static = rnn.stack_bidirectional_rnn(
            forward, backward, steps, initial_states_fw=started, dtype=tf.float32, scope="named"
        )
        turned = rnn.stack_bidirectional_dynamic_rnn(
            forward, backward, tf.constant(inputs), dtype=tf.float32, time_major=True, scope="turned"
        )
        return {
            "dynamic": dynamic[0],
            "dynamic_forward": tf.stack(dynamic[1]),
            "dynamic_backward": tf.stack(dynamic[2]),
            "static": tf.stack(static[0]),
            "static_states": tf.stack(static[1] + static[2]),
            "turned": turned[0],
            "transposed": rnn.transpose_batch_time(tf.constant(inputs)),
        }

    return collect(tf, build, max_steps=1)


@gold
def stacks_refuse_what_they_refused(tf: Any) -> Result:
    rnn = tf.contrib.rnn
    inputs = np.zeros([2, 4, 3], np.float32)

    def stacked(forward: Any, backward: Any, **named: Any) -> Callable[[], Any]:
        return lambda: rnn.stack_bidirectional_dynamic_rnn(forward, backward, inputs, dtype=tf.float32, **named)

    forward, backward = _cells(tf)
    calls = {
        "no_cells": stacked([], []),
        "no_cells_backward": stacked(forward, []),
        "a_tuple": stacked(tuple(forward), backward),
        "other_depths": stacked(forward, backward[:1]),
        "too_few_states": stacked(forward, backward, initial_states_fw=[np.zeros([2, 2])]),
        "a_tuple_of_states": stacked(forward, backward, initial_states_bw=(1, 2)),
    }
    result = {name: error_at_call(tf, call) for name, call in calls.items()}
    with tf.Graph().as_default():
        result["static"] = static_shape(rnn.transpose_batch_time(tf.placeholder(tf.float32, [None, 4, 3])))
        result["vector"] = word(str(rnn.transpose_batch_time(tf.zeros([3])).shape.as_list()))
    return result
