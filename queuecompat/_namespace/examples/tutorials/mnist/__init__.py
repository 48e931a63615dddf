"""``tensorflow.examples.tutorials.mnist``: handwritten digits from local files, and the network that learns them."""
