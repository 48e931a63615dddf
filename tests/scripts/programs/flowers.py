"""The dataset of slim_clones.py: flowers in TFRecords."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf
from tensorflow.contrib import slim

_FILE_PATTERN = 'flowers_%s*.tfrecord'

SPLITS_TO_SIZES = {'train': 63, 'validation': 18}

_NUM_CLASSES = 3

_ITEMS_TO_DESCRIPTIONS = {
    'image': 'A color image of varying size.',
    'label': 'A single integer between 0 and 2',
}


def get_split(split_name, dataset_dir):
  """Returns a slim Dataset of 'train' or 'validation'."""
  if split_name not in SPLITS_TO_SIZES:
    raise ValueError('split name %s was not recognized.' % split_name)
  keys_to_features = {
      'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.FixedLenFeature((), tf.string, default_value='png'),
      'image/class/label': tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
  }
  items_to_handlers = {
      'image': slim.tfexample_decoder.Image(),
      'label': slim.tfexample_decoder.Tensor('image/class/label'),
  }
  return slim.dataset.Dataset(
      data_sources=os.path.join(dataset_dir, _FILE_PATTERN % split_name),
      reader=tf.TFRecordReader,
      decoder=slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers),
      num_samples=SPLITS_TO_SIZES[split_name],
      items_to_descriptions=_ITEMS_TO_DESCRIPTIONS,
      num_classes=_NUM_CLASSES)
