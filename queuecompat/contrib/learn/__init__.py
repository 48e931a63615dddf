"""``tf.contrib.learn``."""
