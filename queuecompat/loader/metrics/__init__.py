"""What is measured while a pass runs.

stages.py       where a worker's time goes
statistics.py   counters, and the verdict: whether the model waits or the workers
timeline.py     workers, buffer and consumer over time
progress.py     the progress bar
"""
