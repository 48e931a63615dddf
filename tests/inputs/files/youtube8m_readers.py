"""Features of whole videos, and labels as vectors of zeros and ones."""

import os

import tensorflow as tf
from tensorflow import gfile
from tensorflow import logging


class BaseReader(object):
    """Inherit from this class when implementing new readers."""

    def prepare_reader(self, unused_filename_queue):
        raise NotImplementedError()


class YT8MAggregatedFeatureReader(BaseReader):
    def __init__(self, num_classes=9, feature_sizes=(12,), feature_names=("mean_rgb",)):
        self.num_classes = num_classes
        self.feature_sizes = list(feature_sizes)
        self.feature_names = list(feature_names)

    def prepare_reader(self, filename_queue, batch_size=7):
        reader = tf.TFRecordReader()
        _, serialized_examples = reader.read_up_to(filename_queue, batch_size)
        tf.add_to_collection("serialized_examples", serialized_examples)
        return self.prepare_serialized_examples(serialized_examples)

    def prepare_serialized_examples(self, serialized_examples):
        feature_map = {"video_id": tf.FixedLenFeature([], tf.string), "labels": tf.VarLenFeature(tf.int64)}
        for name, size in zip(self.feature_names, self.feature_sizes):
            feature_map[name] = tf.FixedLenFeature([size], tf.float32)
        features = tf.parse_example(serialized_examples, features=feature_map)
        labels = tf.sparse_to_indicator(features["labels"], self.num_classes)
        labels.set_shape([None, self.num_classes])
        concatenated_features = tf.concat([features[name] for name in self.feature_names], 1)
        return features["video_id"], concatenated_features, labels, tf.ones([tf.shape(serialized_examples)[0]])


def get_input_data_tensors(data_dir, batch_size=8, num_epochs=1, num_readers=1):
    reader = YT8MAggregatedFeatureReader()
    logging.info("Using batch size of " + str(batch_size) + " for training.")
    with tf.name_scope("train_input"):
        files = sorted(gfile.Glob(os.path.join(data_dir, "videos", "train*.tfrecord")))
        if not files:
            raise IOError("Unable to find training files.")
        filename_queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=False)
        training_data = [reader.prepare_reader(filename_queue) for _ in range(num_readers)]
        return tf.train.batch_join(
            training_data,
            batch_size=batch_size,
            capacity=batch_size * 5,
            allow_smaller_final_batch=True,
            enqueue_many=True,
        )
