"""A plan in other forms: a ``tf.data.Dataset`` to run, a text to read."""
