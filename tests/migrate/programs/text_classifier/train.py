"""Sentences in buckets of their lengths; words are embedded and averaged."""

import tensorflow as tf

VOCABULARY = 30
EMBEDDING = 3


def read_text(path, batch_size, num_epochs):
    queue = tf.train.string_input_producer([path], num_epochs=num_epochs, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    label, sentence = tf.decode_csv(line, [[0], [""]], field_delim="\t")
    words = tf.string_to_hash_bucket_fast(tf.string_split([sentence]).values, VOCABULARY)
    length = tf.size(words)
    lengths, (words, labels) = tf.contrib.training.bucket_by_sequence_length(
        length, [words, label], batch_size, [4], dynamic_pad=True, allow_smaller_final_batch=True
    )
    return lengths, words, labels


def classify(words, lengths):
    embedding = tf.get_variable("embedding", [VOCABULARY, EMBEDDING], initializer=tf.constant_initializer(0.5))
    vectors = tf.nn.embedding_lookup(embedding, words)
    mask = tf.expand_dims(tf.sequence_mask(lengths, dtype=tf.float32), 2)
    mean = tf.reduce_sum(vectors * mask, 1) / tf.expand_dims(tf.to_float(lengths), 1)
    w = tf.get_variable("w", [EMBEDDING, 2], initializer=tf.constant_initializer([[0.1, 0.2]] * EMBEDDING))
    return tf.matmul(mean, w)


def main():
    lengths, words, labels = read_text("text.txt", 2, 1)
    logits = classify(words, lengths)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        seen = []
        try:
            while not coord.should_stop():
                value, size = sess.run([loss, lengths])
                seen.append((size.tolist(), "%.4f" % value))
        except tf.errors.OutOfRangeError:
            print("batches:", sorted(seen))
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
