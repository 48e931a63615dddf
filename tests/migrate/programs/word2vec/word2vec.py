"""Words and their neighbours out of arrays; sampled negatives have a seed."""

import numpy as np
import tensorflow as tf

WORDS = ["the", "cat", "sat", "on", "the", "mat", "the", "dog", "sat", "on", "the", "cat"]
DIM = 3


def build_dataset(words):
    ids = {}
    for word in words:
        ids.setdefault(word, len(ids))
    data = [ids[word] for word in words]
    centers = [data[i] for i in range(1, len(data) - 1) for _ in range(2)]
    contexts = [data[i + shift] for i in range(1, len(data) - 1) for shift in (-1, 1)]
    return np.array(centers, np.int32), np.array(contexts, np.int32), len(ids)


def batches(centers, contexts, batch_size):
    center, context = tf.train.slice_input_producer([centers, contexts], shuffle=False)
    return tf.train.batch([center, context], batch_size)


def main():
    centers, contexts, size = build_dataset(WORDS)
    inputs, labels = batches(centers, contexts, 4)
    embeddings = tf.get_variable("embeddings", [size, DIM], initializer=tf.random_uniform_initializer(-1, 1, seed=3))
    weights = tf.get_variable("weights", [size, DIM], initializer=tf.truncated_normal_initializer(stddev=0.5, seed=4))
    biases = tf.get_variable("biases", [size], initializer=tf.zeros_initializer())
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    logits = tf.matmul(embed, weights, transpose_b=True) + biases
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
    normalized = embeddings / norm
    with tf.Session() as session:
        tf.global_variables_initializer().run()
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=session, coord=coord)
        average_loss = 0
        for step in range(6):
            _, loss_val = session.run([optimizer, loss])
            average_loss += loss_val
            if step % 3 == 2:
                print("average loss at step %d: %.4f" % (step, average_loss / 3))
                average_loss = 0
        print(["%.3f" % one for one in session.run(normalized)[0]])
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
