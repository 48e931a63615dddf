"""``tf.contrib.layers``: initializers, regularizers, feature columns and ``optimize_loss``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List

import numpy as np

from .harness import Result, collect, error_at_call, gold, running, static_shape, word, words

__all__: list[str] = []

_SHAPES = {"matrix": [3, 4], "window": [2, 2, 3, 5], "vector": [6], "scalar": []}


@gold
def initial_values_are_those_of_contrib(tf: Any) -> Result:
    layers = tf.contrib.layers

    def build() -> Dict[str, Any]:
        makers = {
            "xavier": layers.xavier_initializer(seed=1),
            "normal": layers.xavier_initializer(uniform=False, seed=2),
            "conv": layers.xavier_initializer_conv2d(seed=3, dtype=tf.float64),
            "variance": layers.variance_scaling_initializer(seed=4),
            "out": layers.variance_scaling_initializer(1.0, "FAN_OUT", True, 5),
            "average": layers.variance_scaling_initializer(factor=0.5, mode="FAN_AVG", seed=6, dtype=tf.float64),
        }
        outputs = {f"{name}_{kind}": maker(shape) for name, maker in makers.items() for kind, shape in _SHAPES.items()}
        outputs["as_double"] = makers["xavier"]([2, 2], tf.float64)
        outputs["of_a_variable"] = tf.get_variable("v", [3, 2], initializer=makers["xavier"]).read_value()
        return outputs

    return collect(tf, build, max_steps=1)


@gold
def penalties_are_those_of_contrib(tf: Any) -> Result:
    layers = tf.contrib.layers

    def build() -> Dict[str, Any]:
        weights = tf.constant([[1.0, -2.0], [3.0, 0.5]])
        double = tf.constant([1.5, -0.5], tf.float64)
        for one in (weights, tf.constant([4.0])):
            tf.add_to_collection(tf.GraphKeys.WEIGHTS, one)
        outputs = {
            "l1": layers.l1_regularizer(0.25)(weights),
            "l2": layers.l2_regularizer(0.5)(weights),
            "l2_of_doubles": layers.l2_regularizer(0.1, scope="named")(double),
            "l2_by_tensor": layers.l2_regularizer(tf.constant(2.0))(weights),
            "both": layers.l1_l2_regularizer(0.25, 0.5)(weights),
            "defaults": layers.l1_l2_regularizer()(weights),
            "only_l1": layers.l1_l2_regularizer(0.5, 0.0)(weights),
            "only_l2": layers.l1_l2_regularizer(0.0, 0.5)(weights),
            "sum": layers.sum_regularizer([None, layers.l1_regularizer(1.0), layers.l1_regularizer(0.0)])(weights),
            "applied": layers.apply_regularization(layers.l2_regularizer(0.5), [weights, weights]),
            "applied_to_all": layers.apply_regularization(layers.l1_regularizer(1.0)),
            "nothing_applied": layers.apply_regularization(layers.l1_regularizer(0.0), [weights]),
        }
        outputs["losses"] = tf.stack(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        return outputs

    result = collect(tf, build, max_steps=1)
    with tf.Graph().as_default():
        weights = tf.constant([1.0])
        result["names"] = words(
            [
                layers.l1_regularizer(0.5)(weights).name,
                layers.l2_regularizer(0.5, "scope")(weights).name,
                layers.apply_regularization(layers.l2_regularizer(0.5), [weights]).name,
            ]
        )
        result["none"] = np.array(
            [
                layers.sum_regularizer([None]) is None,
                layers.l2_regularizer(0.0)(weights) is None,
                layers.sum_regularizer([layers.l1_regularizer(0.0)])(weights) is None,
            ]
        )
    return result


@gold
def layers_without_weights_are_those_of_contrib(tf: Any) -> Result:
    layers = tf.contrib.layers

    def build() -> Dict[str, Any]:
        images = np.arange(24.0, dtype=np.float32).reshape(2, 3, 2, 2)
        with tf.contrib.framework.arg_scope([layers.flatten], outputs_collections=["flat"]):
            flat = layers.flatten(images)
        outputs = {
            "flat": flat,
            "unknown_rows": layers.flatten(tf.placeholder_with_default(images, [None, 3, 2, 2]), scope="named"),
            "unknown_sides": layers.flatten(tf.placeholder_with_default(images, [2, None, None, 2])),
            "encoded": layers.one_hot_encoding([1, 0, 3], 3),
            "encoded_otherwise": layers.one_hot_encoding(tf.constant([2], tf.int64), 4, 5.0, -1.0, ["hot"]),
        }
        outputs["collected"] = tf.constant([len(tf.get_collection(name)) for name in ("flat", "hot")])
        return outputs

    return collect(tf, build, max_steps=1)


@gold
def layers_refuse_what_contrib_refused(tf: Any) -> Result:
    layers = tf.contrib.layers
    calls: Dict[str, Callable[[], Any]] = {
        "an_integer_scale": lambda: layers.l1_regularizer(1),
        "an_integer_scale_of_both": lambda: layers.l1_l2_regularizer(0, 1.0),
        "a_negative_scale": lambda: layers.l2_regularizer(-0.5),
        "no_weights": lambda: layers.apply_regularization(layers.l2_regularizer(0.5)),
        "a_penalty_that_is_a_vector": lambda: layers.apply_regularization(lambda w: w, [tf.constant([1.0])]),
        "another_mode": lambda: layers.variance_scaling_initializer(mode="FAN"),
        "integers": lambda: layers.xavier_initializer(dtype=tf.int32),
        "integers_when_called": lambda: layers.xavier_initializer()([2], tf.int32),
        "a_vector_to_flatten": lambda: layers.flatten(tf.constant([1.0])),
        "an_unknown_rank": lambda: layers.flatten(tf.placeholder(tf.float32)),
        "no_number": lambda: layers.real_valued_column("a", dimension=0),
        "half_a_number": lambda: layers.real_valued_column("a", dimension=1.5),
        "one_name_twice": lambda: layers.check_feature_columns([layers.real_valued_column("a")] * 2),
        "texts_as_integers": lambda: layers.sparse_column_with_integerized_feature("a", 3, dtype=tf.string),
        "no_buckets": lambda: layers.sparse_column_with_hash_bucket("a", 0),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


def _columns(tf: Any) -> List[Any]:
    layers = tf.contrib.layers
    number = layers.real_valued_column("number", dimension=2, default_value=[7.0, 8.0])
    scaled = layers.real_valued_column("scaled", normalizer=lambda x: x / 2)
    words_ = layers.sparse_column_with_keys("words", ["a", "b", "c"])
    ids = layers.sparse_column_with_integerized_feature("ids", 4)
    return [
        scaled,
        number,
        layers.one_hot_column(words_),
        layers.bucketized_column(layers.real_valued_column("age"), [10.0, 20.0]),
        layers.embedding_column(ids, 2, initializer=tf.constant_initializer(0.5)),
    ]


def _serialized(tf: Any) -> List[bytes]:
    def example(**features: Any) -> bytes:
        made = {}
        for key, value in features.items():
            if isinstance(value[0], bytes):
                made[key] = tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
            elif isinstance(value[0], float):
                made[key] = tf.train.Feature(float_list=tf.train.FloatList(value=value))
            else:
                made[key] = tf.train.Feature(int64_list=tf.train.Int64List(value=value))
        return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

    return [
        example(number=[1.0, 2.0], scaled=[3.0], words=[b"a", b"c"], age=[5.0], ids=[1, 3]),
        example(scaled=[5.0], words=[b"b", b"b", b"z"], age=[25.0], ids=[2]),
    ]


@contextmanager
def _session(tf: Any) -> Iterator[Any]:
    """Variables and tables are filled."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        yield session


def _run(tf: Any, fetches: Dict[str, Any]) -> Result:
    with _session(tf) as session:
        return session.run(fetches)


def _described(spec: Dict[str, Any]) -> np.ndarray:
    """Every feature by its kind, shape, type and default value."""
    lines = []
    for key in sorted(spec):
        feature = spec[key]
        shape = [int(side) for side in getattr(feature, "shape", ())]
        default = getattr(feature, "default_value", None)
        flat = "" if default is None else np.ravel(default).tolist()
        lines.append(f"{key}: {type(feature).__name__} {shape} {feature.dtype.name} {flat}")
    return words(lines)


@gold
def features_are_parsed_and_laid_side_by_side(tf: Any) -> Result:
    layers = tf.contrib.layers

    with tf.Graph().as_default():
        columns = _columns(tf)
        parsed = layers.parse_feature_columns_from_examples(tf.constant(_serialized(tf)), columns)
        parts: Dict[Any, Any] = {}
        joined = layers.input_from_feature_columns(parsed, columns, cols_to_outs=parts)
        fetches = {"number": parsed["number"], "words": parsed["words"].values, "ids": parsed["ids"].dense_shape}
        values = _run(tf, dict(fetches, joined=joined, hot=parts[columns[2]]))
        result = dict(values, words=values["words"].astype("S"), static=static_shape(joined))
    with tf.Graph().as_default():
        result["spec"] = _described(layers.create_feature_spec_for_parsing(_columns(tf)))
        result["spec_of_a_dict"] = _described(
            layers.create_feature_spec_for_parsing({"any": layers.real_valued_column("x", 3, dtype=tf.float64)})
        )
        placeholders = layers.make_place_holder_tensors_for_base_features(_columns(tf)[:3])
        result["placeholders"] = words(
            [f"{key}: {placeholders[key].dtype.name} {placeholders[key].shape}" for key in ("number", "scaled")]
            + [placeholders["number"].name, placeholders["words"].dtype.name]
        )
    return result


@gold
def features_of_sequences_are_parsed(tf: Any) -> Result:
    layers = tf.contrib.layers

    def feature(value: float) -> Any:
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))

    def text(value: bytes) -> Any:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

    def build() -> Dict[str, Any]:
        sequence = tf.train.SequenceExample(
            context=tf.train.Features(feature={"length": feature(2.0)}),
            feature_lists=tf.train.FeatureLists(
                feature_list={
                    "x": tf.train.FeatureList(feature=[feature(1.0), feature(2.0)]),
                    "word": tf.train.FeatureList(feature=[text(b"a"), text(b"b")]),
                }
            ),
        )
        context, steps = layers.parse_feature_columns_from_sequence_examples(
            tf.constant([sequence.SerializeToString()]),
            [layers.real_valued_column("length")],
            [
                layers.real_valued_column("x"),
                layers.real_valued_column("missing", default_value=1.0),
                layers.sparse_column_with_hash_bucket("word", 10),
            ],
        )
        return {"length": context["length"], "x": steps["x"], "missing": steps["missing"], "word": steps["word"]}

    result = collect(tf, build, max_steps=1)
    result["two_at_once"] = error_at_call(
        tf, lambda: layers.parse_feature_columns_from_sequence_examples(["a", "b"], None, None)
    )
    return result


@gold
def a_linear_model_of_columns_begins_at_zero(tf: Any) -> Result:
    layers = tf.contrib.layers
    with tf.Graph().as_default():
        number = layers.real_valued_column("n", dimension=2)
        word_ = layers.sparse_column_with_keys("w", ["a", "b"])
        sparse = tf.SparseTensor([[0, 0], [1, 0]], ["b", "a"], [2, 1])
        features = {"n": tf.constant([[1.0, 2.0], [3.0, 4.0]]), "w": sparse}
        total, variables, bias = layers.weighted_sum_from_feature_columns(features, [number, word_], 3)
        changes = [one.assign(tf.ones_like(one)) for key in (number, word_) for one in variables[key]]
        with _session(tf) as session:
            before = session.run(total)
            session.run(changes)
            return {
                "before": before,
                "after": session.run(total),
                "shapes": words([str(variables[key][0].shape.as_list()) for key in (number, word_)]),
                "bias": words([str(bias.shape.as_list())]),
            }


def _trained(tf: Any, steps: int = 3, **arguments: Any) -> Result:
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        weights = tf.get_variable("w", initializer=tf.constant([[1.0, -1.0], [0.5, 2.0]]))
        table = tf.get_variable("table", initializer=tf.constant([[1.0], [2.0], [3.0]]))
        rows = tf.gather(table, [0, 2, 0])
        loss = tf.reduce_sum(tf.square(tf.matmul(tf.constant([[1.0, 2.0]]), weights))) + tf.reduce_sum(rows * rows)
        made = {
            key: value(tf) if callable(value) and value.__name__ == "of_tf" else value
            for key, value in arguments.items()
        }
        train = tf.contrib.layers.optimize_loss(loss, step, **made)
        summaries = [tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        with running(tf) as session:
            losses = [session.run(train) for _ in range(steps)]
            return {
                "losses": np.array(losses),
                "weights": session.run(weights),
                "table": session.run(table),
                "step": session.run(step),
                "summaries": words(summaries or [""]),
                "variables": words([one.name for one in tf.global_variables()]),
            }


@gold
def losses_are_optimized_as_they_were(tf: Any) -> Result:
    layers = tf.contrib.layers

    def decay(rate: Any, step: Any) -> Any:
        return tf.train.exponential_decay(rate, step, 1, 0.5)

    def halved(pairs: Any) -> Any:
        return [(gradient if gradient is None else gradient * 0.5, one) for gradient, one in pairs]

    calls: Dict[str, Dict[str, Any]] = {
        "sgd": {"learning_rate": 0.01, "optimizer": "SGD"},
        "momentum": {"learning_rate": 0.01, "optimizer": "Momentum", "name": "named"},
        "adam": {"learning_rate": 0.1, "optimizer": tf.train.AdamOptimizer},
        "adagrad": {"learning_rate": 0.1, "optimizer": lambda rate: tf.train.AdagradOptimizer(rate)},
        "own": {"learning_rate": None, "optimizer": tf.train.GradientDescentOptimizer(0.02)},
        "clipped": {"learning_rate": 0.1, "optimizer": "SGD", "clip_gradients": 0.5},
        "multiplied": {
            "learning_rate": 0.01,
            "optimizer": "SGD",
            "gradient_multipliers": {"w:0": 3.0, "table:0": 0.1},
            "summaries": ["gradients", "gradient_norm", "loss"],
        },
        "decayed": {"learning_rate": 0.01, "optimizer": "SGD", "learning_rate_decay_fn": decay},
        "not_counted": {"learning_rate": 0.01, "optimizer": "SGD", "increment_global_step": False, "summaries": []},
    }
    result: Result = {}
    for name, arguments in calls.items():
        trained = _trained(tf, **arguments)
        # Root, division and the sums of norms are the machine's in their last bits.
        for key in ("losses", "weights", "table"):
            trained[key] = np.round(np.float64(trained[key]), 4)
        result.update({f"{name}.{key}": array for key, array in trained.items()})
    halving = _trained(
        tf,
        learning_rate=0.02,
        optimizer="SGD",
        variables=None,
        clip_gradients=lambda pairs: halved([(tf.convert_to_tensor(gradient), one) for gradient, one in pairs]),
    )
    result["clipped_by_function"] = np.round(np.float64(halving["weights"]), 4)
    result["names"] = words(sorted(layers.OPTIMIZER_CLS_NAMES) + layers.OPTIMIZER_SUMMARIES)
    return result


@gold
def updates_run_before_a_step(tf: Any) -> Result:
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        weight = tf.get_variable("w", initializer=tf.constant(1.0))
        count = tf.get_variable("count", initializer=tf.constant(0), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, count.assign_add(1).op)
        train = tf.contrib.layers.optimize_loss(weight * weight, step, 0.1, "SGD")
        ignoring = tf.contrib.layers.optimize_loss(weight * weight, None, 0.1, "SGD", update_ops=[], name="second")
        with running(tf) as session:
            session.run([train])
            session.run([train])
            session.run(ignoring)
            return {"count": session.run(count), "step": session.run(step)}


@gold
def optimize_loss_refuses_what_it_refused(tf: Any) -> Result:
    def call(**arguments: Any) -> Callable[[], Any]:
        def build() -> Any:
            weight = tf.get_variable("w", initializer=tf.constant(1.0))
            given = {"loss": weight * 2, "global_step": None, "learning_rate": 0.1, "optimizer": "SGD"}
            return tf.contrib.layers.optimize_loss(**dict(given, **arguments))

        return build

    calls = {
        "all_is_well": call(),
        "a_vector": call(loss=np.ones(2, np.float32)),
        "a_negative_rate": call(learning_rate=-0.1),
        "an_integer_rate": call(learning_rate=1),
        "no_rate": call(learning_rate=None),
        "no_rate_for_a_class": call(learning_rate=None, optimizer=tf.train.AdamOptimizer),
        "unknown_optimizer": call(optimizer="Best"),
        "no_optimizer": call(optimizer=3),
        "a_function_of_something_else": call(optimizer=lambda rate: rate),
        "unknown_summary": call(summaries=["all"]),
        "unknown_clipping": call(clip_gradients="much"),
        "an_integer_clipping": call(clip_gradients=1),
        "decay_without_a_step": call(learning_rate_decay_fn=lambda rate, step: rate),
        "a_step_of_floats": call(global_step=1.5),
    }
    result = {name: error_at_call(tf, one) for name, one in calls.items()}
    result["word"] = word("done")
    return result


@gold
def sequences_are_embedded(tf: Any) -> Result:
    layers = tf.contrib.layers
    names: List[str] = []
    ids = np.array([[1, 0, 3], [0, 0, 0], [2, 2, 0]], np.int64)

    def build() -> Dict[str, Any]:
        one = tf.train.slice_input_producer([ids], num_epochs=1, shuffle=False)
        read = tf.train.batch(one, 3)
        values = tf.constant_initializer(np.arange(8, dtype=np.float32))
        sparse = tf.SparseTensor([[0, 1], [2, 0]], tf.constant([3, 1], tf.int64), [3, 2])
        outputs = {
            "each": layers.embed_sequence(read, 4, 2, initializer=values),
            "again": layers.embed_sequence(read, unique=True, scope="EmbedSequence", reuse=True),
            "unique": layers.embed_sequence(
                read, 4, 2, unique=True, initializer=values, regularizer=layers.l2_regularizer(0.5), trainable=False
            ),
            "bag": layers.bow_encoder(read, 4, 2, initializer=values),
            "whole_bag": layers.bow_encoder(read, 4, 2, sparse_lookup=False, initializer=values, scope="mine"),
            "sparse_bag": layers.bow_encoder(sparse, 4, 2, scope="mine", reuse=True),
            "looked_up": layers.embedding_lookup_unique([values([4, 2]), values([4, 2])], read),
        }
        outputs["penalty"] = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        names.extend(value.op.name for value in tf.contrib.framework.get_model_variables())
        names.extend(value.op.name for value in tf.trainable_variables())
        return outputs

    result = collect(tf, build)
    return dict(
        result,
        names=words(names),
        without_sizes=error_at_call(tf, lambda: layers.embed_sequence(tf.constant(ids), 4)),
        bag_without_size=error_at_call(tf, lambda: layers.bow_encoder(tf.constant(ids), 4, None)),
        sparse_without_lookup=error_at_call(
            tf, lambda: layers.bow_encoder(tf.SparseTensor([[0, 0]], [1], [1, 1]), 4, 2, sparse_lookup=False)
        ),
    )
