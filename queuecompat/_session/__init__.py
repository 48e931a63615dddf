"""Pipelines in a session: the back end that starts, counts and stops them."""
