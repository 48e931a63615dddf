"""Pieces of speech: WAV files, cut to one length, with the speaker's number."""

import fnmatch
import os
import re
import wave

import numpy as np
import tensorflow as tf

FILE_PATTERN = r"p([0-9]+)_([0-9]+)\.wav"


def get_category(path):
    return int(re.findall(FILE_PATTERN, os.path.basename(path))[0][0])


def find_files(directory, pattern="*.wav"):
    files = []
    for root, _, filenames in os.walk(directory):
        for filename in fnmatch.filter(filenames, pattern):
            files.append(os.path.join(root, filename))
    return sorted(files)


def load_audio(path):
    audio = wave.open(path.decode() if isinstance(path, bytes) else path)
    samples = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2")
    return samples.astype(np.float32) / 32768.0


def mu_law_encode(audio, quantization_channels):
    with tf.name_scope("encode"):
        mu = tf.to_float(quantization_channels - 1)
        safe_audio_abs = tf.minimum(tf.abs(audio), 1.0)
        magnitude = tf.log1p(mu * safe_audio_abs) / tf.log1p(mu)
        signal = tf.sign(audio) * magnitude
        return tf.to_int32((signal + 1) / 2 * mu + 0.5)


def audio_inputs(data_dir, sample_size=160, batch_size=4):
    files = find_files(os.path.join(data_dir, "voices"))
    path, speaker = tf.train.slice_input_producer([files, [get_category(f) for f in files]], shuffle=False)
    (audio,) = tf.py_func(load_audio, [path], [tf.float32])
    audio = tf.reshape(audio, [-1, 1])
    piece = tf.slice(tf.pad(audio, [[sample_size, 0], [0, 0]]), [tf.shape(audio)[0], 0], [sample_size, 1])
    piece.set_shape([sample_size, 1])
    pieces, speakers = tf.train.batch([piece, speaker], batch_size, num_threads=1, capacity=32)
    return mu_law_encode(pieces, 256), speakers
