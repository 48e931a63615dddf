"""The measurements that are made while a pass runs.

stages.py       the time that workers spend in each stage
statistics.py   counters, and the verdict: whether the model or the workers wait
timeline.py     what workers, buffer and consumer did over time
progress.py     the progress bar
"""
