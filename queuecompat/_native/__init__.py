"""TensorFlow's own queues: the contract that compiled pipelines keep, and the fallback for all others."""
