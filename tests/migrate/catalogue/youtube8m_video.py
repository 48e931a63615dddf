# call: examples(VideoReader({'values': 3}), 'train-*', 4)
# order: any
import tensorflow as tf


class BaseReader(object):
    def prepare_reader(self, queue):
        raise NotImplementedError()


class VideoReader(BaseReader):
    def __init__(self, sizes, num_classes=3):
        self.sizes = sizes
        self.num_classes = num_classes

    def prepare_reader(self, queue, at_once=4):
        _, records = tf.TFRecordReader().read_up_to(queue, at_once)
        return self.parse(records)

    def parse(self, records):
        wanted = {"image/filename": tf.FixedLenFeature([], tf.string)}
        wanted["image/class/label"] = tf.VarLenFeature(tf.int64)
        for name in sorted(self.sizes):
            wanted[name] = tf.FixedLenFeature([self.sizes[name]], tf.float32)
        found = tf.parse_example(records, features=wanted)
        labels = tf.sparse_to_indicator(found["image/class/label"], self.num_classes)
        labels.set_shape([None, self.num_classes])
        values = tf.concat([found[name] for name in sorted(self.sizes)], 1)
        return found["image/filename"], values, labels, tf.ones([tf.shape(records)[0]])


def examples(reader, pattern, batch_size, num_epochs=1, num_readers=2):
    with tf.name_scope("train_input"):
        files = tf.gfile.Glob(pattern)
        if not files:
            raise IOError("no files: " + pattern)
        queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=True)
        lists = [reader.prepare_reader(queue) for _ in range(num_readers)]
        return tf.train.shuffle_batch_join(
            lists,
            batch_size=batch_size,
            capacity=batch_size * 5,
            min_after_dequeue=batch_size,
            allow_smaller_final_batch=True,
            enqueue_many=True,
        )
