# call: inputs(['a.bin', 'b.bin'], 2)
# order: fixed
import tensorflow as tf


def _generate_batch(pixels, label, min_queue_examples, batch_size, shuffle):
    threads = 1
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [pixels, label],
            batch_size=batch_size,
            num_threads=threads,
            capacity=min_queue_examples + 3 * batch_size,
            min_after_dequeue=min_queue_examples,
        )
    else:
        images, labels = tf.train.batch(
            [pixels, label], batch_size=batch_size, num_threads=threads, capacity=min_queue_examples + 3 * batch_size
        )
    return images, tf.reshape(labels, [batch_size])


def inputs(files, batch_size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, value = tf.FixedLengthRecordReader(4).read(queue)
    data = tf.decode_raw(value, tf.uint8)
    label = tf.cast(data[0], tf.int32)
    pixels = tf.to_float(data[1:])
    pixels.set_shape([3])
    return _generate_batch(pixels, label, 4, batch_size, shuffle=False)
