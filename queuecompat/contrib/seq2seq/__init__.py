"""``tf.contrib.seq2seq``: models that read or write sequences.

basic_decoder.py       BasicDecoder: a cell, and a helper that selects its inputs
decoder.py             Decoder, and dynamic_decode, the loop that runs it
helper.py              the helpers
loss.py                sequence_loss

The files have the names of TF 1.15's, so that what a program imports from them is found. Beam search is not available.
"""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

__all__ = [
    "BasicDecoder",
    "BasicDecoderOutput",
    "CustomHelper",
    "Decoder",
    "GreedyEmbeddingHelper",
    "Helper",
    "InferenceHelper",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
    "TrainingHelper",
    "dynamic_decode",
    "sequence_loss",
]

_MODULES = {
    "basic_decoder": ("BasicDecoder", "BasicDecoderOutput"),
    "decoder": ("Decoder", "dynamic_decode"),
    "helper": tuple(name for name in __all__ if name.endswith("Helper")),
    "loss": ("sequence_loss",),
}
_PLACES = {name: f"{__name__}.{module}:{name}" for module, names in _MODULES.items() for name in names}

__getattr__, __dir__ = aliases(__name__, _PLACES)
