# call: inputs("train", 4, num_readers=2)
# order: any
import tensorflow as tf


def inputs(subset, batch_size, num_readers=4, num_threads=4):
    with tf.name_scope("inputs"):
        files = tf.gfile.Glob("%s-*-of-*" % subset)
        if not files:
            raise ValueError("there are no files of %s" % subset)
        names = tf.train.string_input_producer(files, num_epochs=1, capacity=16)
        # Room for some shards.
        at_least = 2 * batch_size
        records = tf.RandomShuffleQueue(
            capacity=at_least + 3 * batch_size, min_after_dequeue=at_least, dtypes=[tf.string]
        )
        filling = []
        for _ in range(num_readers):
            reader = tf.TFRecordReader()
            _, value = reader.read(names)
            filling.append(records.enqueue([value]))
        tf.train.add_queue_runner(tf.train.QueueRunner(records, filling))
        record = records.dequeue()
        examples = []
        for _ in range(num_threads):
            features = tf.parse_single_example(
                record,
                {"image/raw": tf.FixedLenFeature([], tf.string), "image/class/label": tf.FixedLenFeature([], tf.int64)},
            )
            image = tf.reshape(tf.decode_raw(features["image/raw"], tf.uint8), [4, 6, 3])
            examples.append([tf.to_float(image) * (1.0 / 255), features["image/class/label"]])
        images, labels = tf.train.batch_join(
            examples, batch_size=batch_size, capacity=8 * batch_size, allow_smaller_final_batch=True
        )
        return images, labels
