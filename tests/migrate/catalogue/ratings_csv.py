# call: RatingReader('ratings.dat').batches(3)
# order: fixed
import tensorflow as tf

COLUMNS = [[0], [""], [0.0]]


class RatingReader(object):
    def __init__(self, *files):
        self.files = list(files)
        self.num_items = 4

    def _row(self):
        queue = tf.train.string_input_producer(self.files, shuffle=False, name="ratings")
        _, line = tf.TextLineReader(name="lines").read(queue)
        user, item, rating = tf.decode_csv(line, record_defaults=COLUMNS)
        number = tf.string_to_number(tf.substr(item, 4, 1), out_type=tf.int32)
        return user, number, rating

    def batches(self, size):
        user, item, rating = self._row()
        users, items, ratings = tf.train.batch([user, item, rating], size, capacity=3 * size)
        return {"user": users, "item": tf.one_hot(items, self.num_items)}, ratings
