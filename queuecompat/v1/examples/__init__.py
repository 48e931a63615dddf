"""``tensorflow.examples``: the one module of it that scripts import, for files that are there already."""
