"""Python, NumPy, SciPy, Pillow and others as programs of TensorFlow 1's time knew them.

``names`` brings back names, with ``methods`` and ``modules``; ``calls`` has functions take what they took.
"""
