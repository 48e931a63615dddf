"""``input_data.read_data_sets``: the MNIST files as NumPy arrays; see ``queuecompat.contrib.learn.datasets.mnist``."""

from __future__ import annotations

from queuecompat.contrib.learn.datasets.mnist import *  # noqa: F403 - exactly what that module offers
from queuecompat.contrib.learn.datasets.mnist import __all__ as __all__
