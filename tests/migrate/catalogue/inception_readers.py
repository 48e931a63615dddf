# call: batch_inputs(DataSet('train'), 4, num_readers=2, num_preprocess_threads=2)
# order: any
import tensorflow as tf


class DataSet(object):
    def __init__(self, subset):
        self.subset = subset

    def data_files(self):
        return tf.gfile.Glob("%s-*-of-*" % self.subset)

    def reader(self):
        return tf.TFRecordReader()


def batch_inputs(dataset, batch_size, num_readers, num_preprocess_threads):
    with tf.name_scope("batch_processing"):
        data_files = dataset.data_files()
        if data_files is None:
            raise ValueError("No data files found for this dataset")
        filename_queue = tf.train.string_input_producer(data_files, num_epochs=1, shuffle=True, capacity=16)
        examples_queue = tf.RandomShuffleQueue(capacity=20, min_after_dequeue=4, dtypes=[tf.string])
        enqueue_ops = []
        for _ in range(num_readers):
            reader = dataset.reader()
            _, value = reader.read(filename_queue)
            enqueue_ops.append(examples_queue.enqueue([value]))
        tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(examples_queue, enqueue_ops))
        example_serialized = examples_queue.dequeue()
        images_and_labels = []
        for _ in range(num_preprocess_threads):
            features = tf.parse_single_example(
                example_serialized,
                {"image/raw": tf.FixedLenFeature([], tf.string), "image/class/label": tf.FixedLenFeature([], tf.int64)},
            )
            image = tf.reshape(tf.decode_raw(features["image/raw"], tf.uint8), [4, 6, 3])
            images_and_labels.append([image, features["image/class/label"]])
        images, labels = tf.train.batch_join(images_and_labels, batch_size=batch_size, capacity=8 * batch_size)
        images = tf.cast(images, tf.float32)
        return images, tf.reshape(labels, [batch_size])
