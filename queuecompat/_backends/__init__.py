"""What a plan becomes: a tf.data.Dataset, a tf.data program, text."""
