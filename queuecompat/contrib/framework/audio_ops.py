"""WAV files and spectrograms: what programs import as ``contrib_audio``.

TF1 had these in a private file alone, ``tensorflow.contrib.framework.python.ops.audio_ops``, and no public name for the
last two. Source: TF 1.15.5 ``contrib/framework/python/ops/audio_ops.py``.
"""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = ["audio_spectrogram", "decode_wav", "encode_wav", "mfcc"]

decode_wav = tf.audio.decode_wav
encode_wav = tf.audio.encode_wav


def audio_spectrogram(
    input: Any, window_size: int, stride: int, magnitude_squared: bool = False, name: Optional[str] = None
) -> tf.Tensor:
    """The spectrogram of *input*: ``[samples, channels]`` becomes ``[channels, windows, frequencies]``.

    Args:
      window_size: samples in a window; the frequencies are half of the next power of two, and one more.
      stride: samples between the beginnings of two windows.
      magnitude_squared: whether each value is the square of the magnitude.
    """
    return tf.raw_ops.AudioSpectrogram(
        input=input, window_size=window_size, stride=stride, magnitude_squared=magnitude_squared, name=name
    )


def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: Optional[str] = None,
) -> tf.Tensor:
    """The mel-frequency cepstral coefficients of *spectrogram*, an ``audio_spectrogram`` with squared magnitudes.

    Args:
      sample_rate: scalar int32 tensor, in samples a second.
      upper_frequency_limit: in Hertz.
      lower_frequency_limit: in Hertz.
      filterbank_channel_count: bands of the mel scale.
      dct_coefficient_count: coefficients of a window.
    Returns:
      ``[channels, windows, dct_coefficient_count]``.
    """
    return tf.raw_ops.Mfcc(
        spectrogram=spectrogram,
        sample_rate=sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )
