"""``queuecompat migrate``: a source in, its new text out, or the reasons why it stays as it is.

``targets`` lists what ``--to`` takes. ``imports`` changes import lines and what follows from them, ``sessions`` turns
session loops into loops over datasets, ``pipelines`` writes queue pipelines in tf.data.
"""
