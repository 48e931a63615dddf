"""The streams of a session: what is added to their plans, what they count, and where they begin.

session_passes.py   the last passes over a plan, for sessions only; resources.py: what plans refer to
filled_streams.py   a stream and its plan; previews.py: streams that are only filled when a step needs them
throughput.py       how much the program requested, and how much was delivered
saved_positions.py  positions in the program's checkpoints; restoring.py: what happens when one is restored
"""
