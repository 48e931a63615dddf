"""What the table of facts says of bits is what this TensorFlow does; the compiler and ``migrate`` read that table."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as tf

from queuecompat._analysis.batched.rules import RULES
from queuecompat._analysis.op_facts import FACTS, PYTHON_NAMES, has_same_bits

RANDOM = np.random.RandomState(7)
# Rows whose sizes are and are not multiples of the width of a vector register.
SHAPES = [[13, 1], [5, 3], [9, 4], [7, 13], [6, 5, 3], [3, 33]]

UNARY = {
    "Abs", "Cos", "Elu", "Erf", "Exp", "Expm1", "Identity", "Lgamma", "Log", "Log1p", "Neg", "Reciprocal", "Rsqrt",
    "Sigmoid", "Sin", "Softmax", "Softplus", "Sqrt", "Square", "Tanh",
}  # fmt: skip
BINARY = {
    "Add", "AddV2", "FloorDiv", "FloorMod", "Maximum", "Minimum", "Mul", "Pow", "RealDiv", "Sub",
}  # fmt: skip
ARGUMENT = {"Elu": "features", "Identity": "input", "Softmax": "logits", "Softplus": "features"}


def raw(kind: str) -> Callable[..., Any]:
    return getattr(tf.raw_ops, kind)  # type: ignore[no-any-return]


def of_numbers(kind: str) -> Callable[[Any], Any]:
    """An op of one input, or with its row turned around as the second."""
    if kind in BINARY:
        return lambda x: raw(kind)(x=x, y=tf.reverse(x, [-1]) + 0.25)
    return lambda x: raw(kind)(**{ARGUMENT.get(kind, "x"): x})


SPECIAL: Dict[str, Callable[[Any], Any]] = {
    "Cast": lambda x: tf.cast(tf.cast(x * 50, tf.uint8), tf.float32),
    "DecodeCSV": lambda x: tf.io.decode_csv(tf.strings.join([tf.strings.as_string(x), "3"], ","), [[0.0], [0]])[0],
    "DecodeRaw": lambda x: tf.io.decode_raw(tf.strings.as_string(x, precision=3, width=9, fill="0"), tf.uint8),
    "GatherV2": lambda x: tf.gather(np.arange(200, dtype=np.float32), tf.cast(x * 9, tf.int32)),
    "LogicalNot": lambda x: tf.logical_not(x > 1),
    "MatMul": lambda x: tf.linalg.matvec(np.full([4, x.shape[-1]], 0.3, np.float32), x),
    "ResourceGather": lambda x: tf.gather(
        tf.compat.v1.get_variable("table", initializer=np.arange(200, dtype=np.float32), use_resource=True),
        tf.cast(x * 9, tf.int32),
    ),
    "StringToNumber": lambda x: tf.strings.to_number(tf.strings.as_string(x)),
}


def evaluated(function: Callable[[Any], Any], values: List[Any]) -> List[Any]:
    """What *function* outputs for each of *values*, in a graph that computes it once for each."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        given = tf.compat.v1.placeholder(values[0].dtype, values[0].shape)
        output = function(given)
        sess.run(tf.compat.v1.global_variables_initializer())
        return [sess.run(output, {given: one}) for one in values]


def differs(function: Callable[[Any], Any], dtype: Any) -> List[List[int]]:
    """The shapes for which a whole batch has other bits than its rows."""
    found = []
    for shape in SHAPES:
        values = (RANDOM.rand(*shape) * 4 + 0.1).astype(dtype)
        whole = evaluated(function, [values])[0]
        single = np.stack(evaluated(function, list(values)))
        if whole.tobytes() != single.tobytes():
            found.append(shape)
    return found


# The others have a form of their own for batches, which ``tests/batched/test_rules.py`` measures.
AS_THEY_ARE = {kind for kind, facts in FACTS.items() if facts.same_bits} & (UNARY | BINARY | set(SPECIAL))


@pytest.mark.parametrize("kind", sorted(k for k in UNARY | BINARY if k in FACTS and FACTS[k].each_number))
def test_a_window_has_the_bits_of_the_whole(kind: str) -> None:
    values = (RANDOM.rand(9, 11, 3) * 4 + 0.1).astype(np.float32)
    whole, part = evaluated(of_numbers(kind), [values])[0], evaluated(of_numbers(kind), [values[2:7, 1:10]])[0]
    assert whole[2:7, 1:10].tobytes() == part.tobytes()


@pytest.mark.parametrize("kind", sorted(AS_THEY_ARE))
def test_a_batch_has_the_bits_of_its_rows(kind: str) -> None:
    function = SPECIAL.get(kind) or of_numbers(kind)
    for dtype in (np.float32, np.float64) if kind in UNARY | BINARY else (np.float32,):
        assert differs(function, dtype) == []


def test_examples_parsed_together_have_the_bits_of_those_parsed_alone() -> None:
    def example(number: float) -> bytes:
        feature = tf.train.Feature(float_list=tf.train.FloatList(value=[number, number / 3]))
        return tf.train.Example(  # type: ignore[no-any-return]
            features=tf.train.Features(feature={"x": feature})
        ).SerializeToString()

    records = np.array([example(number) for number in RANDOM.rand(9)], object)
    features = {"x": tf.io.FixedLenFeature([2], tf.float32)}

    def parse(serialized: Any) -> Any:
        return tf.io.parse_example(serialized, features)["x"]

    whole = evaluated(parse, [records])[0]
    single = np.concatenate(evaluated(parse, list(records.reshape(9, 1))))
    assert whole.tobytes() == single.tobytes()


def test_the_measurement_finds_ops_whose_bits_depend_on_the_batch() -> None:
    found = {
        kind
        for kind, facts in FACTS.items()
        if facts.same_bits is False and differs(SPECIAL.get(kind) or of_numbers(kind), np.float32)
    }
    assert found


def test_the_compiler_runs_on_batches_what_the_table_has_a_rule_for() -> None:
    assert set(RULES) == {facts.rule for facts in FACTS.values() if facts.rule}
    assert all(facts.same_bits or facts.rule == "draw" for facts in FACTS.values() if facts.rule)


def test_what_has_the_same_bits_is_measured_or_has_a_rule() -> None:
    known = {kind for kind, facts in FACTS.items() if facts.same_bits}
    assert known - AS_THEY_ARE <= {kind for kind, facts in FACTS.items() if facts.rule}


def test_python_names_lead_to_ops_of_the_table() -> None:
    assert set(PYTHON_NAMES.values()) <= set(FACTS)
    assert has_same_bits("tf.math.sqrt") and has_same_bits("tf.cast")
    assert not has_same_bits("tf.exp") and not has_same_bits("tf.math.exp") and not has_same_bits("tf.unheard_of")
