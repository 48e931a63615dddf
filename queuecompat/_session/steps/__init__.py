"""Steps of the program: what this package adds to TensorFlow's sessions, and what it reads of a step.

sessions.py        the methods of sessions and coordinators that are replaced
session_state.py   what is known of a session while it is open
fetches.py         what a step runs, of its graph
failures.py        what the error of a step says
"""
