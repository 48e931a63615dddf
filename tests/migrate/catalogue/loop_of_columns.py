# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    columns = tf.decode_csv(line, [[0.0], [0.0]])
    features = []
    for power in range(1, 4):
        features.append(tf.pow(columns[0], power))
    features = tf.stack(features)
    label = columns[-1]
    if size > 1:
        label = label * 2.0
    feature_batch, label_batch = tf.train.batch([features, label], batch_size=size)
    print("features", feature_batch.get_shape())
    return feature_batch, label_batch
