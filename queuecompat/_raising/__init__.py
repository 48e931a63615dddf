"""Raising: turns TensorFlow's own queue ops back into stages, for graphs that were built without queuecompat.

These are queue runners of a session's graph (``runner_ops``), queues that an input function has built on its way to a
dataset (``run_queues``), and saved graphs (``saved_graphs``).
"""
