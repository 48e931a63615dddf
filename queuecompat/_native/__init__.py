"""What runs on TensorFlow's own queues: the contract for ours, and the way back where nothing is compiled."""
