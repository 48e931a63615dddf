"""Pipelines in a session: the back end that starts, counts and stops them.

The way of a pipeline, and where each part of it is::

    backend.py     what capture asks for; stage_tasks.py: on which task of a cluster
    streams/       the plan of a stream gets what a session counts and restores
    graph_ops/     what it becomes in the program's graph; settling.py: when that has to be there
    starting/      who starts it, and its states from then on
    steps/         the program's steps ask for batches: entry.py, attending.py: who is asked about them
    errors/        what is told of a step that fails or waits
    closing.py     the end of a session; exits.py: of the process
"""
