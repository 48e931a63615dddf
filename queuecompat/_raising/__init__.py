"""Raising: turns TensorFlow's own queue ops back into stages, for graphs that were built without queuecompat.

Queue runners of a session's graph:
    runner_ops.py      compiles what a runner repeats; own_draws.py: each draw as a stage of one op alone
A dataset, whose queues no session runs:
    datasets.py        compiled, or run in a session
    run_queues.py      queues -> stages; producers.py, reads.py: ``input_producer``; readers
Both: enqueues.py, what an op enqueues.
A saved graph, on its way to a dataset:
    saved_graphs.py    reads the file; names.py, feeds.py: tensors by name, and values in their place
    filled_by_hand.py  adds runners for queues that the program filled itself
    needed.py          the part that is needed; resource_variables.py, sparse_maps.py: what is replaced in it; cycles.py
    loading.py         imports that part
"""
