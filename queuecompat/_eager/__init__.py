"""Eager mode: input functions as datasets, and queues without a graph.

The modules, in the order in which an input function passes through them:
    tracing.py         calls it in a graph of its own; control_flow.py, dimensions.py: as TensorFlow 1 had them
    trace_backend.py   the ``Backend`` that capture calls there
    compiled.py        lowers the plan to a dataset
    binding.py         eager counterparts of variables and tables; arrays.py, own_variables.py
    deterministic.py   plans whose iterator has a number as its position; program_seeds.py: ``tf.random.set_seed``
    resources.py       what the plans of one iterator refer to
    native.py          in place of compiled.py: a session, for what cannot be compiled

The dataset in use: derived.py: datasets made from it; endless.py; explaining.py: errors; restoring.py: checkpoints;
stalls.py.

Without a dataset: queues.py, runners.py: queues, and runners whose enqueue ops are Python functions.
"""
