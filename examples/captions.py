"""Captions: the features of an image are looked up by its number, in a memory map, and not copied into every record.

Each image has five captions. Captioning code of TensorFlow 1's days wrote the image's features, some kB, into each
caption's record: five copies of everything. Here a record holds words and the image's number. Both are shuffled and
batched, and then one call for the whole batch fetches the rows out of a file that lies on the disk once.
"""

import os
import tempfile

import numpy as np

import queuecompat.v1 as tf

IMAGES, CAPTIONS, FEATURES, TOPICS, WORDS, LENGTH, BATCH, EPOCHS = 500, 5, 2048, 8, 40, 6, 50, 4


def write_data(folder):
    """Features, float32 [500, 2048], as a .npy file, and 2500 records of six words that depend on the features."""
    random = np.random.RandomState(0)
    name = os.path.join(folder, "features.npy")
    features = np.lib.format.open_memmap(name, "w+", np.float32, (IMAGES, FEATURES))
    topics = random.randint(TOPICS, size=IMAGES)
    features[:] = random.normal(size=(IMAGES, FEATURES)) + random.normal(size=(TOPICS, FEATURES))[topics]
    features.flush()
    records = os.path.join(folder, "captions.tfrecords")
    with tf.python_io.TFRecordWriter(records) as writer:
        for image, topic in enumerate(topics):
            for _ in range(CAPTIONS):
                words = topic * (WORDS // TOPICS) + random.randint(WORDS // TOPICS, size=LENGTH)
                feature = {
                    "image": tf.train.Feature(int64_list=tf.train.Int64List(value=[image])),
                    "words": tf.train.Feature(int64_list=tf.train.Int64List(value=words)),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return name, records


def looked_up(features_file, images):
    """The rows *images*, int64 [50], of the file: float32 [50, 2048]."""
    features = np.load(features_file, mmap_mode="r")
    rows = tf.py_func(lambda numbers: features[numbers], [images], tf.float32, stateful=False)
    rows.set_shape([BATCH, FEATURES])
    return rows


def inputs(features_file, records):
    """Features, float32 [50, 2048], and words, int64 [50, 6], in random order."""
    _, record = tf.TFRecordReader().read(tf.train.string_input_producer([records], num_epochs=EPOCHS))
    parsed = tf.parse_single_example(
        record, {"image": tf.FixedLenFeature([], tf.int64), "words": tf.FixedLenFeature([LENGTH], tf.int64)}
    )
    images, words = tf.train.shuffle_batch(
        [parsed["image"], parsed["words"]], BATCH, capacity=2000, min_after_dequeue=1000
    )
    features = looked_up(features_file, images)
    # A queue of batches behind the look-up: the next rows are fetched while the model computes.
    return tf.train.batch([features, words], BATCH, capacity=4 * BATCH, enqueue_many=True)


def main():
    features_file, records = write_data(tempfile.mkdtemp())
    features, words = inputs(features_file, records)
    weights = tf.get_variable("weights", [FEATURES, WORDS], initializer=tf.zeros_initializer())
    logits = tf.tile(tf.expand_dims(tf.matmul(features, weights), 1), [1, LENGTH, 1])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=words, logits=logits))
    train_op = tf.train.AdamOptimizer(0.001).minimize(loss)

    losses = []
    with tf.train.MonitoredTrainingSession() as sess:
        try:
            while True:
                losses.append(sess.run([train_op, loss])[1])
        except tf.errors.OutOfRangeError:
            pass  # every caption has been seen EPOCHS times
    stored = os.path.getsize(features_file) + os.path.getsize(records)
    copied = os.path.getsize(records) + IMAGES * CAPTIONS * FEATURES * 4
    print("on disk: %.1f MB; with features in every record: %.1f MB" % (stored / 1e6, copied / 1e6))
    print("%d steps; loss %.2f at first, %.2f at last" % (len(losses), losses[0], np.mean(losses[-10:])))


if __name__ == "__main__":
    main()
