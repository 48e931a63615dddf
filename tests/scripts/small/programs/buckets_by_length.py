"""Words go into buckets by their length; a batch is padded only as far as its bucket reaches."""
import tensorflow as tf

WORDS = 'a bb ccc dddd eeeee f gg hhh iiii jjjjj k ll mmm nnnn ooooo'.split()


def inputs():
    word = tf.train.string_input_producer(WORDS, shuffle=False, num_epochs=2).dequeue()
    letters = tf.decode_raw(word, tf.uint8)
    length, (letters, word) = tf.contrib.training.bucket_by_sequence_length(
        tf.size(letters), [letters, word], batch_size=3, bucket_boundaries=[3, 5], dynamic_pad=True,
        allow_smaller_final_batch=True, capacity=24)
    return length, letters, word


if __name__ == '__main__':
    length, letters, word = inputs()
    lines = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                n, l, w = sess.run([length, letters, word])
                lines.append((n.tolist(), list(l.shape), [x.decode() for x in w]))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    # Which bucket is the first to be full depends on nothing but the words; at the end all are emptied.
    for line in sorted(lines):
        print(*line)
