"""What starts a pipeline, and its states in one session.

runners.py           what stands in the QUEUE_RUNNERS collection; runner_queue.py: the queue that programs see of it
activity.py          whether its pipelines run: the table of states
controls.py          what is kept for one of TF1's queues
starting_calls.py    which call of the program starts it
joint_start.py, one_start.py   when all that one call starts may be one step; that step
early_steps.py       steps in threads that come before the start, and wait for it
runners_session.py, compiled_runners.py   queues that the program built, and TensorFlow's own queue runners
imported.py          pipelines of a saved graph
"""
