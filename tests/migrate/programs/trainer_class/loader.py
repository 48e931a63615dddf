import tensorflow as tf


class DataLoader(object):
    """Loads numbers of a text file in batches."""

    def __init__(self, path, batch_size=2):
        self.path = path
        self.batch_size = batch_size

    def load(self):
        files = tf.train.string_input_producer([self.path], shuffle=False)
        reader = tf.TextLineReader()
        _, text = reader.read(files)
        value = tf.decode_csv(text, [[0.0]])[0]
        batch = tf.train.batch([value], batch_size=self.batch_size)
        return tf.expand_dims(batch, 1)
