# call: skip_grams(['the', 'cat', 'sat', 'on', 'it'], 3, 1)
# order: fixed
import numpy as np
import tensorflow as tf


def pairs_of(words, window):
    found = []
    for place, word in enumerate(words):
        for other in range(max(0, place - window), min(len(words), place + window + 1)):
            if other != place:
                found.append((word, words[other]))
    return found


def skip_grams(words, batch_size, window):
    ids = {word: number for number, word in enumerate(sorted(set(words)))}
    pairs = np.array([[ids[one], ids[other]] for one, other in pairs_of(words, window)], dtype=np.int64)
    center, context = tf.train.slice_input_producer([pairs[:, 0], pairs[:, 1]], shuffle=False)
    return tf.train.batch([center, tf.expand_dims(context, 0)], batch_size=batch_size)
