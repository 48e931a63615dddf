"""Plan -> tf.data.Dataset. ``dataset.py`` has the table with one function per kind of step."""
