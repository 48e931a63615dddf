"""Pipelines on TensorFlow's own queues: the contract of compiled ones, and the fallback."""
