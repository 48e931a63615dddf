"""The names that TensorFlow 2 lacks: the table is true of the TensorFlow that runs, and tells TensorFlow 1 code."""

from __future__ import annotations

import pytest
import tensorflow as tf

from queuecompat.migrate.analysis.removed_names import REMOVED, removed_name
from queuecompat.migrate.analysis.tf1_files import shows_tf1
from tests.migrate.sources import source


def exists(symbol: str) -> bool:
    found = tf
    for part in symbol.split(".")[1:]:
        found = getattr(found, part, None)
    return found is not None


def test_tensorflow_2_has_none_of_them() -> None:
    assert len(REMOVED) > 400
    assert [symbol for symbol in sorted(REMOVED) if exists(symbol)] == []


def test_a_name_below_one_of_them_is_found_by_it() -> None:
    assert removed_name("tf.app.flags.FLAGS") == "tf.app"
    assert removed_name("tf.nn.relu") == "" and removed_name("tf") == ""


@pytest.mark.parametrize(
    ("text", "is_tf1"),
    [
        ("import tensorflow as tf\ntf.Session()\n", True),
        ("import tensorflow as tf\nfor x in d.make_one_shot_iterator():\n    pass\n", True),
        ("import tensorflow as tf\nfrom tensorflow.contrib import slim\n", True),
        ("import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n", True),
        ("import tensorflow as tf\nx = float(tf.reduce_mean([1.0]))\n", False),
        ("import tensorflow as tf\nmodel = tf.keras.Sequential()\ntf.compat.v1.logging.set_verbosity(0)\n", False),
        # Of TensorFlow 2.0 to 2.3, too.
        ("import tensorflow as tf\nm = tf.keras.utils.multi_gpu_model(m, 2)\n", False),
        ("import tensorflow as tf\nestimator = tf.keras.estimator.model_to_estimator(m)\n", False),
        ("import tensorflow as tf\ntf.estimator.train_and_evaluate(estimator, train, evaluation)\n", False),
        ("import tensorflow as tf\nd = tf.data.Dataset.range(3).shuffle(2).batch(2)\n", False),
        (
            "import queuecompat\nimport tensorflow as tf\nimport tensorflow.compat.v1 as tf1\n\n\n"
            "@queuecompat.input_pipeline\ndef inputs(x):\n    return tf1.train.batch([x], 2)\n",
            False,
        ),
    ],
)
def test_a_file_is_tensorflow_1_code_by_the_names_in_it(text: str, is_tf1: bool) -> None:
    assert shows_tf1(source(text)) is is_tf1
