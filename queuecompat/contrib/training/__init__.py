"""``tf.contrib.training``."""
