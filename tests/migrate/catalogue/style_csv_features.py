# call: input_fn(['a.csv', 'b.csv'], mode='eval', batch_size=3)
# order: fixed
import tensorflow as tf

COLUMNS = ["number", "half"]
DEFAULTS = [[0], [0.0]]
LABEL = "half"


def parse_csv(rows):
    columns = tf.decode_csv(tf.expand_dims(rows, -1), record_defaults=DEFAULTS)
    return dict(zip(COLUMNS, columns))


def input_fn(filenames, mode="train", num_epochs=1, skip_header_lines=1, batch_size=4):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=mode == "train")
    reader = tf.TextLineReader(skip_header_lines=skip_header_lines)
    _, rows = reader.read_up_to(filename_queue, num_records=batch_size)
    features = parse_csv(rows)
    if mode == "train":
        features = tf.train.shuffle_batch(
            features, batch_size, min_after_dequeue=8, capacity=64, enqueue_many=True, allow_smaller_final_batch=True
        )
    else:
        features = tf.train.batch(features, batch_size, enqueue_many=True, allow_smaller_final_batch=True)
    label = features.pop(LABEL)
    return features, label
