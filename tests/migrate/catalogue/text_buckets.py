# call: bucketed(['text.txt'], 2, [3, 5])
# order: any
import tensorflow as tf


def parse(line):
    label, sentence = tf.decode_csv(line, [[0], [""]], field_delim="\t")
    words = tf.string_split([sentence]).values
    return tf.string_to_hash_bucket_fast(words, 20), label


def bucketed(files, batch_size, boundaries):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    words, label = parse(line)
    lengths, (tokens, labels) = tf.contrib.training.bucket_by_sequence_length(
        input_length=tf.size(words),
        tensors=[words, label],
        batch_size=batch_size,
        bucket_boundaries=boundaries,
        dynamic_pad=True,
        allow_smaller_final_batch=True,
        capacity=16,
    )
    return lengths, tf.reduce_sum(tokens, 1), labels
