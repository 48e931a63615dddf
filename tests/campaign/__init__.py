"""Tries to break it, with random input from a seed: ``python -m tests.campaign`` (``tox -e campaign``).

mutated.py      records, files and images with bits flipped, cut, duplicated, or with lengths that lie
lifecycles.py   pipelines that are started, run for some steps, and ended in one of many ways

Each round has a seed of its own, runs in a process that may crash or hang, and prints the command that repeats it.
"""
