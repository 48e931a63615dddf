# call: generate_input_fn(['a.csv', 'b.csv'], num_epochs=2, batch_size=4)()
# order: fixed
import tensorflow as tf

CSV_COLUMNS = ["number", "half"]
CSV_DEFAULTS = [[0.0], [0.0]]
LABEL_COLUMN = "half"
UNUSED = set(CSV_COLUMNS) - {"number", LABEL_COLUMN}


def parse_csv(rows):
    columns = tf.decode_csv(tf.expand_dims(rows, -1), record_defaults=CSV_DEFAULTS)
    features = dict(zip(CSV_COLUMNS, columns))
    for name in UNUSED:
        features.pop(name)
    return features


def parse_label(label):
    return tf.to_int32(tf.greater(label, 1.0))


def generate_input_fn(files, num_epochs=None, shuffle=False, batch_size=200):
    def _input_fn():
        queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, rows = reader.read_up_to(queue, num_records=batch_size)
        features = parse_csv(rows)
        features = tf.train.batch(
            features, batch_size, capacity=batch_size * 10, enqueue_many=True, allow_smaller_final_batch=True
        )
        return features, parse_label(features.pop(LABEL_COLUMN))

    return _input_fn
