"""The streams of a session: what its plans get besides, what they count, where they begin.

passes.py           a session's own last passes over a plan; resources.py: what plans name
filled_streams.py   a stream and its plan; previews.py: one that is only made when it is asked for
throughput.py       who asked for how much, and what came
restarts.py         positions in the program's checkpoints; restoring.py: what happens when one is restored
"""
