"""``tf.contrib.seq2seq``: models that read or write sequences.

attention.py           mechanisms, and hardmax
attention_wrapper.py   AttentionWrapper, a cell with attention, and its state
basic_decoder.py       BasicDecoder: a cell, and a helper that selects its inputs
beam_search_decoder.py BeamSearchDecoder, gather_tree, tile_batch
decoder.py             Decoder, and dynamic_decode, the loop that runs it
helper.py              the helpers
loss.py                sequence_loss
monotonic.py           mechanisms that only move forward, and their functions

The files of TF 1.15 are here under their names, so that what a program imports from them is found. Attention needs
Keras 2 (the package tf-keras); the rest runs any object that has the methods of a cell.
"""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

from queuecompat.contrib._aliases import aliases

__all__ = [
    "AttentionMechanism",
    "AttentionWrapper",
    "AttentionWrapperState",
    "BahdanauAttention",
    "BahdanauMonotonicAttention",
    "BasicDecoder",
    "BasicDecoderOutput",
    "BeamSearchDecoder",
    "BeamSearchDecoderOutput",
    "BeamSearchDecoderState",
    "CustomHelper",
    "Decoder",
    "FinalBeamSearchDecoderOutput",
    "GreedyEmbeddingHelper",
    "Helper",
    "InferenceHelper",
    "LuongAttention",
    "LuongMonotonicAttention",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
    "TrainingHelper",
    "dynamic_decode",
    "gather_tree",
    "hardmax",
    "monotonic_attention",
    "safe_cumprod",
    "sequence_loss",
    "tile_batch",
]

_MODULES = {
    "attention": ("AttentionMechanism", "BahdanauAttention", "LuongAttention", "hardmax"),
    "attention_wrapper": ("AttentionWrapper", "AttentionWrapperState"),
    "basic_decoder": ("BasicDecoder", "BasicDecoderOutput"),
    "beam_search_decoder": (
        "BeamSearchDecoder",
        "BeamSearchDecoderOutput",
        "BeamSearchDecoderState",
        "FinalBeamSearchDecoderOutput",
        "gather_tree",
        "tile_batch",
    ),
    "decoder": ("Decoder", "dynamic_decode"),
    "helper": tuple(name for name in __all__ if name.endswith("Helper")),
    "loss": ("sequence_loss",),
    "monotonic": (
        "BahdanauMonotonicAttention",
        "LuongMonotonicAttention",
        "monotonic_attention",
        "safe_cumprod",
    ),
}
# What programs with their own mechanisms and decoders imported from TF1's files.
_PRIVATE = {
    "attention": (
        "_BaseAttentionMechanism",
        "_bahdanau_score",
        "_luong_score",
        "_maybe_mask_score",
        "_prepare_memory",
        "_zero_state_tensors",
    ),
    "attention_wrapper": ("_compute_attention",),
    "decoder": ("_create_zero_outputs",),
    "helper": ("_transpose_batch_time", "_unstack_ta"),
    "monotonic": ("_BaseMonotonicAttentionMechanism", "_monotonic_probability_fn"),
}


def _places(modules: Mapping[str, Tuple[str, ...]]) -> Dict[str, str]:
    return {name: f"{__name__}.{module}:{name}" for module, names in modules.items() for name in names}


__getattr__ = aliases(__name__, {**_places(_MODULES), **_places(_PRIVATE)})[0]
__dir__ = aliases(__name__, _places(_MODULES))[1]
