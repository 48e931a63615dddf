# call: inputs('word_*.wav', 1)
# order: fixed
import re

import tensorflow as tf

FILE_PATTERN = r"word_([0-9]+)\.wav"


def get_category_cardinality(files):
    ids = [int(re.findall(FILE_PATTERN, name)[0]) for name in files]
    return min(ids), max(ids)


def mu_law_encode(audio, channels):
    mu = tf.to_float(channels - 1)
    safe = tf.minimum(tf.abs(audio), 1.0)
    magnitude = safe * (1.0 + mu) / (1.0 + mu * safe)
    return tf.to_int32((tf.sign(audio) * magnitude + 1) / 2 * mu + 0.5)


def inputs(pattern, batch_size):
    files = sorted(tf.gfile.Glob(pattern))
    low, high = get_category_cardinality(files)
    queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=2)
    reader = tf.WholeFileReader()
    key, contents = reader.read(queue)
    wav = tf.audio.decode_wav(contents, 1, 8)
    category = tf.string_to_number(tf.substr(key, tf.size(tf.string_split([key], "").values) - 5, 1), tf.int32)
    one_hot = tf.one_hot(category - low, high - low + 1)
    return tf.train.batch([mu_law_encode(wav.audio, 16), one_hot], batch_size)
