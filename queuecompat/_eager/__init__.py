"""Input functions as datasets, and queues without a graph."""
