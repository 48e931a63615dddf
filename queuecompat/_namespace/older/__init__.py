"""Python, NumPy, SciPy, Pillow and others as they were at the time of TensorFlow 1.

``names`` restores names, with ``methods`` and ``modules``; ``scipy_images`` has the functions that it restores in
``scipy.misc``. ``calls`` makes functions accept the arguments that they accepted then: ``calls_of_numpy`` and
``calls_of_python`` say which, and ``dimensions`` for TensorFlow's shapes.
"""
