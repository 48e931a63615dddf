"""``tf.contrib.distributions``: the names that ``tf.distributions`` has. The rest is in TensorFlow Probability."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential",
    "FULLY_REPARAMETERIZED", "Gamma", "Laplace", "Multinomial", "NOT_REPARAMETERIZED", "Normal", "RegisterKL",
    "ReparameterizationType", "StudentT", "Uniform", "kl_divergence",
)  # fmt: skip
_PLACES = {name: f"compat.v1.distributions.{name}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
