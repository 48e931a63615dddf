"""Skip-grams of tensorflow_nlp: pairs of words from TFRecords, counted in two epochs, and a model that learns them."""

import argparse
import collections
import os
import tempfile

import tensorflow as tf
from nlp.text_representation.word2vec.word2vec import Word2Vec

folder = tempfile.mkdtemp()
sentences = [[1 + (start + step) % 20 for step in range(5 + start % 4)] for start in range(100)]
with tf.python_io.TFRecordWriter(os.path.join(folder, "output.tfrecord")) as writer:
    for sentence in sentences:
        words = tf.train.Feature(int64_list=tf.train.Int64List(value=sentence))
        writer.write(tf.train.Example(features=tf.train.Features(feature={"sentence": words})).SerializeToString())
with open(os.path.join(folder, "word_freq"), "w") as file:
    file.write("\n".join(f"word{number} {30 + number}" for number in range(20)) + "\nrare 3\n")

options = argparse.Namespace(
    train_dir=folder,
    save_path=os.path.join(folder, "saved"),
    valid_words="word1,word2",
    epochs_to_train=2,
    io_threads=1,
    parallel=2,
    batch_size=16,
    learning_rate=0.1,
    decay_rate=0.9,
    decay_steps=100,
    stat_time_interval=1,
    eval_time_interval=1000,
    save_time_interval=1000,
    emb_dim=8,
    window_size=1,
    neg_sample_num=4,
    min_count=5,
    subsample=1000.0,
)
with tf.Graph().as_default(), tf.Session() as session:
    model = Word2Vec(options, session)
    batch = model.gen_batch()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    pairs = collections.Counter()
    try:
        while True:
            words, near = session.run(batch)
            assert words.shape == near.shape == (16,)
            pairs.update(zip(words.tolist(), near.tolist()))
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
# Pairs of words that follow each other, and pairs across the ends of sentences: 50 of them are joined in order.
assert sum(pairs.values()) == 2576 and len(pairs) == 80, pairs
with tf.Graph().as_default(), tf.Session() as session:
    model = Word2Vec(options, session)
    model.build_graph()
    model.train()
    embeddings = session.run(model._nemb)
assert embeddings.shape == (22, 8)
print("2576 pairs")
