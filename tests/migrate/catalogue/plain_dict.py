# call: inputs(['a.csv'])
# order: fixed
import tensorflow as tf


def inputs(files, batch_size=2):
    filename_queue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)
    number, half = tf.decode_csv(value, record_defaults=[[0], [0.0]])
    features = {"number": number, "half": half}
    batch = tf.train.batch(features, batch_size)
    label = batch.pop("half")
    return batch, label
