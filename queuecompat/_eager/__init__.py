"""Eager mode: input functions as datasets, and queues without a graph."""
