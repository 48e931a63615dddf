"""The ops that a session's pipelines have in the program's graph.

placement.py   where they are built; waits.py: what waits for what
iterators.py   tf.data iterators
gates.py       how a pipeline is ended from outside
phases.py      steps that start pipelines in one run, and end them in others
counters.py    what is counted; occupancy.py: how full a queue is
"""
