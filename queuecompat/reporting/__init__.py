"""What the input pipelines of a program did: figures, what they mean, and how they are shown.

collecting.py    reads the figures from sessions: when they end and (sampling.py) periodically
pipelines.py     the figures of every pipeline, with its plan
traces.py, stages.py    what TensorFlow's profiler recorded, and how much of it each stage of a pipeline took
caching.py       what `--cache` would keep, and its size
figures.py       the figures of one pipeline, and what they say about the program
text.py, data.py, page.py    output as text, JSON and HTML
"""
