"""Robustness tests with random input from a seed: ``python -m tests.campaign`` (``tox -e campaign``).

mutated.py      records, files and images with bits flipped, cut, duplicated, or with wrong lengths
lifecycles.py   pipelines that are started, run for some steps, and ended in one of many ways
stress.py       many pipelines, long ones, tiny and huge queues, many files, odd names, threads, hooks, interrupts
fed_queues.py   pipelines over a queue that the program feeds itself; part of stress.py
ends.py         programs that end in every way, with everything open; part of stress.py
schedules.py    every interleaving of the threads of the loader and of the runtime, to some depth (interleaving.py)

Generated pipelines and programs are those of the ordinary tests, in larger numbers: ``GENERATED`` in __main__.py. So
are the programs that are killed and restored, tests/pipelines/test_restarts.py, which QUEUECOMPAT_RESTARTS=1000 runs
longer.

Each round has a seed of its own, runs in a process that may crash or hang, and prints the command that repeats it.
"""
