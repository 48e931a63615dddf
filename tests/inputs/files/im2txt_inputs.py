"""Image captions: SequenceExamples, and batches padded to their longest caption."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf


def parse_sequence_example(serialized, image_feature, caption_feature):
    context, sequence = tf.parse_single_sequence_example(
        serialized,
        context_features={image_feature: tf.FixedLenFeature([], dtype=tf.string)},
        sequence_features={caption_feature: tf.FixedLenSequenceFeature([], dtype=tf.int64)},
    )
    return context[image_feature], sequence[caption_feature]


def batch_with_dynamic_pad(images_and_captions, batch_size, queue_capacity, add_summaries=True):
    enqueue_list = []
    for image, caption in images_and_captions:
        caption_length = tf.shape(caption)[0]
        input_length = tf.expand_dims(tf.subtract(caption_length, 1), 0)
        input_seq = tf.slice(caption, [0], input_length)
        target_seq = tf.slice(caption, [1], input_length)
        indicator = tf.ones(input_length, dtype=tf.int32)
        enqueue_list.append([image, input_seq, target_seq, indicator])
    images, input_seqs, target_seqs, mask = tf.train.batch_join(
        enqueue_list, batch_size=batch_size, capacity=queue_capacity, dynamic_pad=True, name="batch_and_pad"
    )
    if add_summaries:
        lengths = tf.add(tf.reduce_sum(mask, 1), 1)
        tf.summary.scalar("caption_length/batch_min", tf.reduce_min(lengths))
        tf.summary.scalar("caption_length/batch_mean", tf.reduce_mean(tf.to_float(lengths)))
    return images, input_seqs, target_seqs, mask


def build_inputs(file_pattern, batch_size):
    data_files = []
    for pattern in file_pattern.split(","):
        data_files.extend(tf.gfile.Glob(pattern))
    if not data_files:
        tf.logging.fatal("Found no input files matching %s", file_pattern)
    filename_queue = tf.train.string_input_producer(sorted(data_files), shuffle=False, capacity=1)
    _, value = tf.TFRecordReader().read(filename_queue)
    encoded, caption = parse_sequence_example(value, "image/data", "image/caption_ids")
    image = tf.image.convert_image_dtype(tf.image.decode_png(encoded, channels=3), dtype=tf.float32)
    image = tf.image.resize_images(image, size=[12, 12], method=tf.image.ResizeMethod.BILINEAR)
    image = tf.random_crop(image, [10, 10, 3], seed=11)
    image = tf.multiply(tf.subtract(tf.image.random_hue(image, max_delta=0.032, seed=12), 0.5), 2.0)
    return batch_with_dynamic_pad([(image, caption)], batch_size, 8 * batch_size)
