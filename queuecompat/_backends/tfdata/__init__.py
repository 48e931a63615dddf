"""Plan to tf.data.Dataset: one function a step."""
