"""From TensorFlow's own queue ops to stages: for graphs that were built without queuecompat."""
