"""The back ends: what a plan is translated into.

tfdata/         a tf.data.Dataset
program/        the source of a tf.data program, for ``explain(code=True)``
text.py         text, for ``explain()`` and for messages; pass_trace.py: after each pass
notebook.py     how both are displayed in notebooks
"""
