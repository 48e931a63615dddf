"""``tf.contrib.signal``, the first name of ``tf.signal``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "frame", "hamming_window", "hann_window", "inverse_stft", "inverse_stft_window_fn",
    "linear_to_mel_weight_matrix", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "stft",
)  # fmt: skip
_PLACES = {name: f"signal.{name}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
