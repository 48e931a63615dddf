"""``tensorflow.examples``: the tutorial of it that other programs import."""
