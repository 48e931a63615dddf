"""``tf.contrib.opt``: the optimizers that training programs use most.

adams.py             AdaMaxOptimizer, LazyAdamOptimizer, NadamOptimizer
external.py          ScipyOptimizerInterface, and its base class
layerwise.py         LARSOptimizer
moving_average.py    MovingAverageOptimizer
weight_decay.py      AdamWOptimizer, MomentumWOptimizer, and the decay of weights for any optimizer

All but those of external.py are optimizers of ``tf.train`` for graphs. Their variables, slots and names are those of
TensorFlow 1, so that its checkpoints can be restored.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = [
    "AdaMaxOptimizer",
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "ExternalOptimizerInterface",
    "LARSOptimizer",
    "LazyAdamOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "NadamOptimizer",
    "ScipyOptimizerInterface",
    "extend_with_decoupled_weight_decay",
]

_MODULES = {
    "adams": ("AdaMaxOptimizer", "LazyAdamOptimizer", "NadamOptimizer"),
    "external": ("ExternalOptimizerInterface", "ScipyOptimizerInterface"),
    "layerwise": ("LARSOptimizer",),
    "moving_average": ("MovingAverageOptimizer",),
    "weight_decay": (
        "AdamWOptimizer",
        "DecoupledWeightDecayExtension",
        "MomentumWOptimizer",
        "extend_with_decoupled_weight_decay",
    ),
}
_PLACES = {name: f"{__name__}.{module}:{name}" for module, names in _MODULES.items() for name in names}

__getattr__, __dir__ = lazily(__name__, _PLACES)
