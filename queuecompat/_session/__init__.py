"""The session back end: starts, counts and stops the pipelines of a graph that the program runs in a ``tf.Session``.

The modules, in the order in which a pipeline passes through them::

    entry.py       the checks of each function named as in TF1: is there a graph, and may it grow?
    backend.py     the ``Backend`` that capture calls; stage_tasks.py: the cluster task of a queue
    streams/       completes a stream's plan: counters, gates, checkpoint positions
    graph_ops/     the ops added to the program's graph; settling.py: hooks that add them before finalize and export
    starting/      what starts a pipeline, and the states that it goes through afterwards
    steps/         the program's ``Session.run`` calls; attending.py: connects them to the graph's back end
    errors/        what the user is told when a step fails or waits
    closing.py     the end of a session; exits.py: the end of the process; last_handler.py: when it is called
"""
