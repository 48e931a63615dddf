import tensorflow as tf

RECORD_DEFAULTS = [[0], [""], [0.0]]


def read_ratings(path, batch_size, num_epochs=None):
    """Users, items and ratings, as three vectors."""
    queue = tf.train.string_input_producer([path], num_epochs=num_epochs, shuffle=False)
    reader = tf.TextLineReader()
    _, row = reader.read(queue)
    user, name, rate = tf.decode_csv(row, record_defaults=RECORD_DEFAULTS)
    item = tf.string_to_number(tf.substr(name, 4, 1), out_type=tf.int32)
    users, items, rates = tf.train.batch([user, item, rate], batch_size, allow_smaller_final_batch=True)
    return users, items, rates
