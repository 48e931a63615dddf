# call: Captioner(Config(), 'train').build()
# order: fixed
import tensorflow as tf


class Config(object):
    pattern = "captions-?????-of-?????"
    image_name = "image/data"
    caption_name = "image/caption_ids"
    batch_size = 2
    values_per_shard = 4
    capacity_factor = 2


def parse_sequence(serialized, image_name, caption_name):
    context, steps = tf.parse_single_sequence_example(
        serialized,
        context_features={image_name: tf.FixedLenFeature([], dtype=tf.string)},
        sequence_features={caption_name: tf.FixedLenSequenceFeature([], dtype=tf.int64)},
    )
    return context[image_name], steps[caption_name]


def prefetch(reader, patterns, batch_size, per_shard, factor=16, name="values"):
    files = []
    for pattern in patterns.split(","):
        files.extend(tf.gfile.Glob(pattern))
    if not files:
        tf.logging.fatal("no files match %s", patterns)
    names = tf.train.string_input_producer(sorted(files), shuffle=False, capacity=1)
    values = tf.FIFOQueue(capacity=per_shard * factor + 3 * batch_size, dtypes=[tf.string], name="fifo_" + name)
    _, value = reader.read(names)
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(values, [values.enqueue([value])]))
    return values


def padded_batch(pairs, batch_size, capacity):
    lists = []
    for image, caption in pairs:
        steps = tf.expand_dims(tf.shape(caption)[0] - 1, 0)
        before, after = tf.slice(caption, [0], steps), tf.slice(caption, [1], steps)
        lists.append([image, before, after, tf.ones(steps, dtype=tf.int32)])
    return tf.train.batch_join(lists, batch_size=batch_size, capacity=capacity, dynamic_pad=True, name="pad")


class Captioner(object):
    def __init__(self, config, mode):
        self.config = config
        self.mode = mode
        self.reader = tf.TFRecordReader()

    def process_image(self, encoded):
        return tf.to_float(tf.reshape(tf.decode_raw(encoded, tf.uint8), [4])) / 256.0

    def build(self):
        config = self.config
        queue = prefetch(
            self.reader, config.pattern, config.batch_size, config.values_per_shard, factor=config.capacity_factor
        )
        pairs = []
        for _ in range(1):
            image, caption = parse_sequence(queue.dequeue(), config.image_name, config.caption_name)
            pairs.append([self.process_image(image), caption])
        return padded_batch(pairs, config.batch_size, 8)
