"""Programs of several files as people leave them, by seed: inputs, models, loops, helpers, files of TensorFlow 2.

Half of them are tame: most of their parts are the first of each list, which every target rewrites.
"""

from __future__ import annotations

import random
from typing import Dict, List, Sequence

__all__ = ["OF_TENSORFLOW_2", "sloppy_program"]

# Names of files that are TensorFlow 2 code in every program.
OF_TENSORFLOW_2 = ("evaluate_keras.py", "metrics.py")

_IMPORTS = ["import tensorflow as tf", "import tensorflow as tf  # 1.4", "import os, sys\nimport tensorflow as tf"]
_PRODUCERS = [
    "    queue = tf.train.string_input_producer(files{epochs})\n    _, line = tf.TextLineReader().read(queue)\n"
    "    x = tf.string_to_number(line)\n",
    "    [x] = tf.train.slice_input_producer([ROWS]{epochs}, shuffle=False)\n",
    "    queue=tf.train.string_input_producer( files{epochs} ) ; reader = tf.TextLineReader()\n"
    "    key, line = reader.read(queue)\n    x = tf.string_to_number( line )\n",
    "    queue = tf.FIFOQueue(9, [tf.float32])\n"
    "    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([1.0])]))\n    x = queue.dequeue()\n",
]
_STEPS = [
    "    # TODO: crop\n",
    "    x = x / 2.0\n",
    "    scale = tf.random_uniform([])\n    x = x * scale\n",
    "    if training:\n        x = x + 1.0\n",
    "    tf.summary.scalar('x', x)\n",
    "    # TODO: crop\n",
    "    x = tf.py_func(lambda v: v, [x], tf.float32); x.set_shape([])\n",
    "    x = tidy(x)\n",
    "",
]
_BATCHERS = [
    "    return tf.train.batch([x], size)",
    "    return tf.train.shuffle_batch([x], size, 30, 10)",
    "    batch = tf.train.batch([x], size, allow_smaller_final_batch=True)\n    return batch",
    "    if training:\n        return tf.train.shuffle_batch([x], size, 30, 10)\n"
    "    else:\n        return tf.train.batch([x], size)",
    "    return tf.train.batch([x], size), size",
]
_USES = ["reader.inputs(FILES, 2, {training})", "inputs(FILES, size=2, training={training})"]
_LOOPS = [
    "    for step in range(3):\n        print(sess.run(y))\n",
    "    try:\n        while not coord.should_stop():\n            v = sess.run(y)\n            print( v )\n"
    "    except tf.errors.OutOfRangeError:\n        print('end')\n    finally:\n        coord.request_stop()\n",
    "    while True:\n        a, b = sess.run([x, y])\n        if a.sum() > 3: break\n",
    "    print(sess.run(y, feed_dict={}))\n",
    "    writer = tf.summary.FileWriter('logs', sess.graph)\n"
    "    for i in xrange(2): writer.add_summary(sess.run(y), i)\n",
]
_MODELS = [
    "y = tf.reduce_sum(x)\n",
    "y = model.inference(x)\n",
    "w = tf.Variable(1.0)\ny = x * w\n",
    "y = tf.placeholder_with_default(1.0, []) * x\n",
    "y = tf.layers.dense(tf.expand_dims(x, 1), 2)\n",
]


class _Chance(random.Random):
    """Random numbers; *choice* is drawn to the first element in every second program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._is_tame = self.random() < 0.5

    def choice(self, options: Sequence[str]) -> str:
        return options[0] if self._is_tame and self.random() < 0.93 else super().choice(options)


def sloppy_program(seed: int) -> Dict[str, str]:
    """The files of the program with number *seed*: their text by their names."""
    chance = _Chance(seed)
    files = {"reader.py": _reader(chance), "model.py": _model(chance)}
    for number in range(chance.randint(1, 3)):
        files[f"train_{number}.py"] = _main(chance)
    if chance.random() < 0.5:
        files["wrapper.py"] = (
            "import tensorflow as tf\nimport reader\ntf.logging.info('x')\n\n"
            "def pipeline():\n    return reader.inputs(['a'], 4, True)\n"
        )
    files["metrics.py"] = "import tensorflow as tf\n\n\ndef mean(x):\n    return float(tf.reduce_mean(x))\n"
    files["evaluate_keras.py"] = (
        "import tensorflow as tf\nfrom metrics import mean\n\nmodel = tf.keras.Sequential()\n"
        "print(mean(tf.constant([1.0])), tf.data.Dataset.range(3))\n"
    )
    return {name: _untidy(chance, text) for name, text in files.items()}


def _reader(chance: _Chance) -> str:
    epochs = chance.choice(["", ", num_epochs=1", ", None"])
    body = chance.choice(_PRODUCERS).replace("{epochs}", epochs)
    body += "".join(chance.choice(_STEPS) for _ in range(chance.randint(0, 2))) + chance.choice(_BATCHERS)
    parts = [
        chance.choice(_IMPORTS),
        chance.choice(["", "FLAGS = tf.app.flags.FLAGS", "tf.disable_v2_behavior()", "import queuecompat"]),
        "ROWS = [1.0, 2.0]",
        "def tidy(x):\n    return tf.maximum(x, 0.0)",
        f"def inputs(files, size, training=False):\n{body}",
    ]
    if chance.random() < 0.2:
        parts.append("class Reader( object ):\n    def get(self):\n        return tf.train.batch([self.x], 2)")
    return "\n\n".join(part for part in parts if part) + "\n"


def _model(chance: _Chance) -> str:
    body = chance.choice(["    return tf.square(x)\n", "    w = tf.get_variable('w', [])\n    return x * w\n"])
    return f"import tensorflow as tf\n\ndef inference(x):\n{body}"


def _main(chance: _Chance) -> str:
    use = chance.choice(_USES).format(training=chance.choice(["True", "False"]))
    how = (
        "import reader"
        if use.startswith("reader")
        else chance.choice(["from reader import inputs", "from reader import *"])
    )
    lines: List[str] = [
        f"x = {use}\n",
        chance.choice(_MODELS),
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    coord = tf.train.Coordinator()\n    threads = tf.train.start_queue_runners(sess, coord)\n",
        chance.choice(_LOOPS),
    ]
    code = "".join(lines)
    if chance.random() < 0.4:
        code = "def main(_):\n" + "".join(f"    {line}\n" if line else "\n" for line in code.splitlines())
        code += "\nif __name__ == '__main__':\n    tf.app.run()\n"
    return f"{chance.choice(_IMPORTS)}\nimport model\n{how}\n\nFILES = ['a.txt']\n{code}"


def _untidy(chance: _Chance, text: str) -> str:
    """The same program with the ends, comments and blanks that editors leave."""
    if chance.random() < 0.2:
        text = text.rstrip("\n")
    if chance.random() < 0.2:
        text = "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\n" + text
    if chance.random() < 0.2:
        text += "\n\n   \n# end"
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
    return text
