"""What the guide says, for the command line: pages on error codes, and how names of TensorFlow 1 are supported.

words.py         what ``queuecompat explain WORD`` prints
pages.py         the page of an error code
older_names.py   names of Python, NumPy and others; keras_2.py: names that need Keras 2
"""
