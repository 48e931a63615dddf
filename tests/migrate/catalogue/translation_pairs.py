# call: sentence_pairs(SOURCE, TARGET, 2)
# order: fixed
import tensorflow as tf

PAD, GO, EOS = 0, 1, 2
SOURCE = [[5, 6], [7], [8, 9, 10]]
TARGET = [[4], [3, 5], [6, 6]]


def _padded(rows):
    width = max(map(len, rows))
    return [row + [PAD] * (width - len(row)) for row in rows], list(map(len, rows))


def sentence_pairs(source, target, batch_size):
    source, source_lengths = _padded([row + [EOS] for row in source])
    target, target_lengths = _padded([[GO] + row + [EOS] for row in target])
    tensors = tf.train.slice_input_producer([source, source_lengths, target, target_lengths], shuffle=False)
    words, length, outputs, output_length = tensors
    weights = tf.sequence_mask(output_length, tf.size(outputs), dtype=tf.float32)
    return tf.train.batch([words[:length], outputs, weights], batch_size=batch_size, dynamic_pad=True)
