"""Lines of numbers and words, as a dictionary of columns and a label."""

import os

import tensorflow as tf

CSV_COLUMNS = ["rooms", "age", "district", "price"]
CSV_COLUMN_DEFAULTS = [[0], [40.0], [""], [0.0]]


def generate_input_fn(filenames, num_epochs=None, shuffle=True, batch_size=10):
    """An input function for estimators."""

    def input_fn():
        filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=shuffle)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, rows = reader.read_up_to(filename_queue, num_records=batch_size)
        row_columns = tf.expand_dims(rows, -1)
        columns = tf.decode_csv(row_columns, record_defaults=CSV_COLUMN_DEFAULTS)
        features = dict(zip(CSV_COLUMNS, columns))
        features["old"] = tf.to_int32(tf.greater(features["age"], 50.0))
        if shuffle:
            features = tf.train.shuffle_batch(
                features,
                batch_size,
                min_after_dequeue=2 * batch_size + 1,
                capacity=batch_size * 10,
                num_threads=1,
                enqueue_many=True,
                allow_smaller_final_batch=True,
            )
        else:
            features = tf.train.batch(
                features,
                batch_size,
                capacity=batch_size * 10,
                num_threads=1,
                enqueue_many=True,
                allow_smaller_final_batch=True,
            )
        return features, features.pop("price")

    return input_fn


def inputs(data_dir):
    return generate_input_fn(sorted(tf.gfile.Glob(os.path.join(data_dir, "houses", "*.csv"))), 1, False)()
