"""What the input pipelines of a program did: figures, what they mean, and their forms.

collecting.py    reads the figures out of sessions, at their ends and (sampling.py) now and then
pipelines.py     the figures of every pipeline, with its plan
traces.py, stages.py    what TensorFlow's profiler recorded, and how much of it each stage of a pipeline is
caching.py       what `--cache` would keep, and how much that is
figures.py       the figures of one pipeline, and what they say of the program
text.py, data.py, page.py    text, JSON and HTML
"""
