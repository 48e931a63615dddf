"""``tf.contrib.slim``."""
