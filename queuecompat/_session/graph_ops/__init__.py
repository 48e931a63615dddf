"""The ops that a session's pipelines add to the program's graph.

placement.py   where ops are built; waits.py: control dependencies on ops that a session already knows
iterators.py   tf.data iterators
gates.py       stop a running pipeline from outside
phases.py      one step that starts pipelines in some runs and stops them in others
counters.py    counters; occupancy.py: how full a queue is
"""
