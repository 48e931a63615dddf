"""``tensorflow.examples.tutorials.mnist``: handwritten digits, from local files."""
