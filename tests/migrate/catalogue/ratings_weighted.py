# call: train_input_fn()
# order: any
import tensorflow as tf

FILES = ["ratings.dat"]
BATCH_SIZE = 7


def _parse(rows):
    user, item, rating = tf.decode_csv(rows, record_defaults=[[0], [""], [0.0]])
    features = {"user": user, "item": item, "weight": 1.0 / (1.0 + tf.abs(rating - 2.5))}
    return features, rating


def input_fn(files, num_epochs, shuffle):
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle)
    _, rows = tf.TextLineReader().read_up_to(queue, num_records=3)
    features, rating = _parse(rows)
    features["rating"] = rating
    batch = tf.train.shuffle_batch(
        features,
        batch_size=BATCH_SIZE,
        num_threads=2,
        capacity=100,
        min_after_dequeue=5,
        enqueue_many=True,
        allow_smaller_final_batch=True,
    )
    return batch


def train_input_fn():
    return input_fn(FILES, 2, True)
