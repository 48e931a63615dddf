"""CIFAR for a residual network: the queue of examples is made and filled by hand."""

import os

import tensorflow as tf


def build_input(data_dir, batch_size=10, mode="eval"):
    image_size, label_bytes, num_classes, depth = 32, 1, 10, 3
    image_bytes = image_size * image_size * depth
    record_bytes = label_bytes + image_bytes
    data_files = sorted(tf.gfile.Glob(os.path.join(data_dir, "cifar", "data_batch*")))
    file_queue = tf.train.string_input_producer(data_files, shuffle=False)
    reader = tf.FixedLengthRecordReader(record_bytes=record_bytes)
    _, value = reader.read(file_queue)
    record = tf.reshape(tf.decode_raw(value, tf.uint8), [record_bytes])
    label = tf.cast(tf.slice(record, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(tf.slice(record, [label_bytes], [image_bytes]), [depth, image_size, image_size])
    image = tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32)
    image = tf.image.resize_image_with_crop_or_pad(image, image_size + 4, image_size + 4)
    image = tf.random_crop(image, [image_size, image_size, 3], seed=71)
    image = tf.image.per_image_standardization(image)
    example_queue = tf.FIFOQueue(
        3 * batch_size, dtypes=[tf.float32, tf.int32], shapes=[[image_size, image_size, depth], [1]]
    )
    example_enqueue_op = example_queue.enqueue([image, label])
    tf.train.add_queue_runner(tf.train.queue_runner.QueueRunner(example_queue, [example_enqueue_op]))
    images, labels = example_queue.dequeue_many(batch_size)
    labels = tf.reshape(labels, [batch_size, 1])
    indices = tf.reshape(tf.range(0, batch_size, 1), [batch_size, 1])
    labels = tf.sparse_to_dense(tf.concat(values=[indices, labels], axis=1), [batch_size, num_classes], 1.0, 0.0)
    assert len(images.get_shape()) == 4
    assert images.get_shape()[0] == batch_size
    assert images.get_shape()[-1] == 3
    assert labels.get_shape()[1].value == num_classes
    return images, labels
