"""Sentences of cutkum, which are read as sequence examples and batched by their lengths; its model learns from them."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from cutkum.ck_model import CkModel
from cutkum.sequence_handler import get_num_records, read_and_decode_single_example, save_tfrecord

CLASSES, LABELS = 6, 5
SETTINGS = {
    "num_layers": 1,
    "cell_sizes": [8],
    "look_ahead": 0,
    "input_classes": CLASSES,
    "label_classes": LABELS,
    "learning_rate": 0.05,
    "l2_regularization": 0.0,
    "cell_type": "lstm",
}
folder = tempfile.mkdtemp()
files = [os.path.join(folder, name) for name in ("one", "two")]
for place, file in enumerate(files):
    sentences = [[1 + (number + place) % 5] * (1 + number % 9) for number in range(30)]
    with tf.python_io.TFRecordWriter(file) as writer:
        save_tfrecord(writer, sentences, [[min(word, 4) for word in sentence] for sentence in sentences])
assert [get_num_records(file) for file in files] == [30, 30]


def buckets(**options):
    key, context, sequences = read_and_decode_single_example(files, **options)
    return tf.contrib.training.bucket_by_sequence_length(
        input_length=tf.cast(context["length"], tf.int32),
        tensors=[sequences["source"], sequences["target"], key],
        batch_size=4,
        bucket_boundaries=[4, 7],
        dynamic_pad=True,
        allow_smaller_final_batch=options.get("num_epochs") is not None,
        name="batch",
    )


with tf.Graph().as_default(), tf.Session() as session:
    batch = buckets(num_epochs=2)
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    seen = []
    try:
        while not coordinator.should_stop():
            lengths, (sources, targets, keys) = session.run(batch)
            assert sources.shape == targets.shape == (len(keys), max(lengths))
            assert len(set(np.digitize(lengths, [4, 7]).tolist())) == 1, lengths
            assert (np.minimum(sources, 4) == targets).all() and ((sources > 0).sum(axis=1) == lengths).all()
            seen += [(int(length), int(row[0]), key) for length, row, key in zip(lengths, sources, keys)]
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
assert len(seen) == 120 and all(seen.count(one) == 2 for one in seen), sorted(seen)

with tf.Graph().as_default():
    tf.set_random_seed(3)
    model = CkModel(SETTINGS)
    model.build_graph()
    lengths, (sources, targets, _) = buckets(shuffle=True)
    one_hot = [tf.nn.embedding_lookup(np.eye(size), ids) for size, ids in ((CLASSES, sources), (LABELS, targets))]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord=coordinator)
        losses = []
        for _ in range(60):
            long, inputs, outputs = session.run([lengths, *one_hot])
            feed = {
                model.inputs: inputs.swapaxes(0, 1),
                model.outputs: outputs.swapaxes(0, 1),
                model.fw_state: model.init_fw_states(4),
                model.seq_lengths: long,
                model.keep_prob: 1.0,
            }
            losses.append(session.run([model.train_op, model.mean_loss], feed)[1])
        coordinator.request_stop()
        coordinator.join(threads)
assert losses[-1] < losses[0] * 0.8, losses
print("learned")
