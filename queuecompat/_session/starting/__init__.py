"""What starts a pipeline in a session, and the states that it goes through there.

runners.py           the objects in the QUEUE_RUNNERS collection; runner_queue.py: their ``queue`` attribute
activity.py          whether a runner's pipelines run: the table of states
controls.py          what is kept for each of TF1's queues
starting_calls.py    recognises the call of the program that starts the runners
joint_start.py, joint_start_step.py   when everything that one call starts can be one step; that step
early_steps.py       steps in threads that come before the start, and wait for it
runners_session.py, compiled_runners.py   queues that the program built, filled by TensorFlow's own queue runners
imported.py          pipelines of a saved graph
"""
