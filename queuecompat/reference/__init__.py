"""What the guide says, for the command line: pages on error codes, and how names of TensorFlow 1 are supported."""
