"""Steps of the program: what this package adds to TensorFlow's sessions, and what it finds out about a step.

sessions.py        the methods of sessions and coordinators that are replaced
session_state.py   what is recorded of a session while it is open
fetches.py         which ops of the graph a step runs
failures.py        the messages of errors that steps raise
"""
