# call: inputs(eval_data=False, data_dir='.', batch_size=2)
# order: fixed
import os

import tensorflow as tf

HEIGHT, WIDTH, DEPTH = 1, 1, 3


def read_binary(filename_queue):
    class Record(object):
        pass

    result = Record()
    label_bytes = 1
    result.height, result.width, result.depth = HEIGHT, WIDTH, DEPTH
    image_bytes = result.height * result.width * result.depth
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(
        tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]),
        [result.depth, result.height, result.width],
    )
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def _generate_batch(image, label, min_queue_examples, batch_size, shuffle):
    num_preprocess_threads = 16
    if shuffle:
        images, label_batch = tf.train.shuffle_batch(
            [image, label],
            batch_size=batch_size,
            num_threads=num_preprocess_threads,
            capacity=min_queue_examples + 3 * batch_size,
            min_after_dequeue=min_queue_examples,
        )
    else:
        images, label_batch = tf.train.batch(
            [image, label], batch_size=batch_size, num_threads=1, capacity=min_queue_examples + 3 * batch_size
        )
    tf.summary.image("images", images)
    return images, tf.reshape(label_batch, [batch_size])


def inputs(eval_data, data_dir, batch_size):
    if not eval_data:
        filenames = [os.path.join(data_dir, "%s.bin" % i) for i in "ab"]
        num_examples_per_epoch = 6
    else:
        filenames = [os.path.join(data_dir, "c.bin")]
        num_examples_per_epoch = 3
    for f in filenames:
        if not tf.gfile.Exists(f):
            raise ValueError("Failed to find file: " + f)
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer(filenames, shuffle=False)
        read_input = read_binary(filename_queue)
        reshaped_image = tf.cast(read_input.uint8image, tf.float32)
        float_image = reshaped_image / 16.0
        float_image.set_shape([HEIGHT, WIDTH, DEPTH])
        read_input.label.set_shape([1])
        min_queue_examples = int(num_examples_per_epoch * 0.4)
    return _generate_batch(float_image, read_input.label, min_queue_examples, batch_size, shuffle=False)
