"""Pipelines in a session: the stages of a graph, their iterators, what starts, counts, watches and closes them."""
