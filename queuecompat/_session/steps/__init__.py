"""Steps of the program: what this package adds to TensorFlow's sessions, and what it finds out about a step.

sessions.py        the methods of TensorFlow's sessions, runners and graphs that are replaced
coordinators.py    what its coordinators do in addition: notify of a stop, note which threads are in a join
open_sessions.py   the state of each open session, and what is called before it is closed
ending.py          the steps of other threads while the process ends
session_state.py   what is recorded of one session while it is open
fetches.py         which ops of the graph a step runs
failures.py        the messages of errors that steps raise
"""
