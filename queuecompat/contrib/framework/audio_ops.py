"""WAV files and spectrograms: what programs import as ``contrib_audio``.

In TF1 these were only in a private file, ``tensorflow.contrib.framework.python.ops.audio_ops``; the last two had no
public name. Source: TF 1.15.5 ``contrib/framework/python/ops/audio_ops.py``.
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
    """Returns the spectrogram of *input*: ``[samples, channels]`` becomes ``[channels, windows, frequencies]``.

    Args:
      window_size: samples in a window. The number of frequencies is half of the next power of two, plus 1.
      stride: samples between the beginnings of two consecutive windows.
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
    """Returns the mel-frequency cepstral coefficients of *spectrogram*, which has squared magnitudes.

    Args:
      sample_rate: scalar int32 tensor, in samples per second.
      upper_frequency_limit: the highest frequency that is used, in Hertz.
      lower_frequency_limit: the lowest frequency that is used, in Hertz.
      filterbank_channel_count: number of bands of the mel scale.
      dct_coefficient_count: number of coefficients per window.
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
