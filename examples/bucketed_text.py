"""Bucketed text: sentences of like length come in one batch, and little of a batch is padding.

The sentences are those of Python's own manual, as ``pydoc`` ships it. A small model reads a sentence word by word and
guesses the next word; what is padding does not count in its loss.
"""

import collections
import os
import re
import tempfile
from pydoc_data.topics import topics

import numpy as np

import queuecompat.v1 as tf

VOCABULARY, UNKNOWN, BATCH, EPOCHS, DIMENSIONS = 500, 1, 32, 3, 32
BOUNDARIES = [8, 12, 16, 24, 32]


def sentences():
    """Lists of word numbers from 2 on, the rarer words being UNKNOWN; 0 is left for padding."""
    texts = [re.findall(r"[a-z]+", part) for topic in topics.values() for part in re.split(r"[.:]\s", topic.lower())]
    texts = [words for words in texts if 4 <= len(words) <= 48]
    counts = collections.Counter(word for words in texts for word in words)
    numbers = {word: number for number, (word, _) in enumerate(counts.most_common(VOCABULARY - 2), start=2)}
    return [[numbers.get(word, UNKNOWN) for word in words] for words in texts]


def write_records(texts, path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for words in texts:
            feature = {"words": tf.train.Feature(int64_list=tf.train.Int64List(value=words))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return path


def inputs(path):
    """Words, int64 [32, longest], and the length of each row, int32 [32]."""
    _, record = tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=EPOCHS))
    parsed = tf.parse_single_example(record, {"words": tf.VarLenFeature(tf.int64)})
    words = tf.sparse_tensor_to_dense(parsed["words"])
    length, (words,) = tf.contrib.training.bucket_by_sequence_length(
        tf.size(words), [words], BATCH, BOUNDARIES, capacity=20 * BATCH, dynamic_pad=True
    )
    return words, length


def padding(batches):
    """The part of all cells that is padding."""
    cells = sum(len(lengths) * max(lengths) for lengths in batches)
    return 1 - sum(map(sum, batches)) / cells


def main():
    texts = sentences()
    words, lengths = inputs(write_records(texts, os.path.join(tempfile.mkdtemp(), "sentences.tfrecords")))
    embedding = tf.get_variable("embedding", [VOCABULARY, DIMENSIONS])
    output = tf.get_variable("output", [DIMENSIONS, VOCABULARY])
    seen = tf.nn.embedding_lookup(embedding, words[:, :-1])
    logits = tf.tensordot(seen, output, [[2], [0]])
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=words[:, 1:], logits=logits)
    mask = tf.sequence_mask(lengths - 1, dtype=tf.float32)
    loss = tf.reduce_sum(each * mask) / tf.reduce_sum(mask)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss)

    batches, losses = [], []
    with tf.train.MonitoredTrainingSession() as sess:
        try:
            while True:
                _, value, drawn = sess.run([train_op, loss, lengths])
                losses.append(value)
                batches.append(drawn.tolist())
        except tf.errors.OutOfRangeError:
            pass  # every sentence has been seen EPOCHS times
    unsorted = [len(text) for text in texts]
    mixed = [unsorted[at : at + BATCH] for at in range(0, len(unsorted), BATCH)]
    print("padding: %.0f %% in buckets, %.0f %% without" % (100 * padding(batches), 100 * padding(mixed)))
    print("%d steps; loss %.2f at first, %.2f at last" % (len(losses), losses[0], np.mean(losses[-20:])))


if __name__ == "__main__":
    main()
