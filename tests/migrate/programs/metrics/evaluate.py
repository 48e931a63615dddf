"""Streaming metrics over one epoch; their values are read after the end of the data."""

import numpy as np
import tensorflow as tf

ROWS = np.array([[1, 0], [0, 1], [3, 1], [2, 5], [1, 1]], np.float32)
LABELS = np.array([0, 1, 0, 1, 1], np.int64)


def input_fn(batch_size):
    row, label = tf.train.slice_input_producer([ROWS, LABELS], num_epochs=1, shuffle=False)
    return tf.train.batch([row, label], batch_size, allow_smaller_final_batch=True)


def build_metrics(logits, labels):
    predictions = tf.argmax(logits, 1)
    return {
        "accuracy": tf.metrics.accuracy(labels, predictions),
        "largest": tf.metrics.mean(tf.reduce_max(logits, 1)),
    }


def evaluate():
    rows, labels = input_fn(2)
    w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer([[1.0, 0.5], [0.25, 1.0]]))
    metrics = build_metrics(tf.matmul(rows, w), labels)
    update_op = tf.group(*[update for _, update in metrics.values()])
    values = {name: value for name, (value, _) in metrics.items()}
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        batches = 0
        try:
            while not coord.should_stop():
                sess.run(update_op)
                batches += 1
        except tf.errors.OutOfRangeError:
            found = sess.run(values)
            print(batches, {name: "%.4f" % found[name] for name in sorted(found)})
        finally:
            coord.request_stop()
        coord.join(threads)


evaluate()
