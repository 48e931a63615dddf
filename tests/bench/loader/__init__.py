"""Benchmarks of the background loader: against other loaders, and against its own guarantees."""
