# call: captions(['a.bin', 'b.bin'], 2, 2)
# order: fixed
import tensorflow as tf

START, END = 100, 101


def parse(value):
    words = tf.to_int32(tf.decode_raw(value, tf.uint8))
    length = words[0] % 3 + 1
    return words[3], tf.concat([[START], words[:length], [END]], 0)


def batch_with_dynamic_pad(image, caption, batch_size, capacity):
    length = tf.expand_dims(tf.subtract(tf.shape(caption)[0], 1), 0)
    inputs = tf.slice(caption, [0], length)
    targets = tf.slice(caption, [1], length)
    indicator = tf.ones(length, dtype=tf.int32)
    return tf.train.batch(
        [image, inputs, targets, indicator], batch_size=batch_size, capacity=capacity, dynamic_pad=True, name="batch"
    )


def captions(names, batch_size, queues):
    queue = tf.train.string_input_producer(names, shuffle=False, capacity=16)
    _, value = tf.FixedLengthRecordReader(4).read(queue)
    image, caption = parse(value)
    return batch_with_dynamic_pad(image, caption, batch_size, queues * batch_size)
