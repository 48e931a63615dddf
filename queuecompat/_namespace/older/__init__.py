"""Python, NumPy, SciPy, Pillow and others as they were at the time of TensorFlow 1.

``names`` restores names, with ``methods`` and ``modules``; ``calls`` makes functions accept the arguments that they
accepted then.
"""
