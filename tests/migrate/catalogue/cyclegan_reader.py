# call: Domain('train-00001-of-00002', side=4, batch_size=2, name='horses').feed()
# order: any
import tensorflow as tf


def to_signed(image):
    return tf.image.convert_image_dtype(image, tf.float32) * 2.0 - 1.0


class Domain():
    """One of the two kinds of pictures."""

    def __init__(self, path, side=256, least=4, batch_size=1, threads=2, name=""):
        self.path, self.side, self.name = path, side, name
        self.least, self.batch_size, self.threads = least, batch_size, threads
        self.records = tf.TFRecordReader()

    def _prepared(self, image):
        image = to_signed(image[:, : self.side])
        image.set_shape([self.side, self.side, 3])
        return image

    def feed(self):
        with tf.name_scope(self.name):
            queue = tf.train.string_input_producer([self.path], num_epochs=1)
            _, record = self.records.read(queue)
            found = tf.parse_single_example(
                record,
                features={
                    "image/filename": tf.FixedLenFeature([], tf.string),
                    "image/encoded": tf.FixedLenFeature([], tf.string),
                },
            )
            image = self._prepared(tf.image.decode_png(found["image/encoded"], channels=3))
            images, names = tf.train.shuffle_batch(
                [image, found["image/filename"]],
                batch_size=self.batch_size,
                num_threads=self.threads,
                capacity=self.least + 3 * self.batch_size,
                min_after_dequeue=self.least,
            )
            tf.summary.image("input", images)
        return images, names
