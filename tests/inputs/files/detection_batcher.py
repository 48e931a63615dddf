"""Boxes of objects: dictionaries of tensors, padded, through two queues."""

import collections
import os

import tensorflow as tf
from tensorflow.contrib.slim.python.slim.data import prefetch_queue

slim_example_decoder = tf.contrib.slim.tfexample_decoder

SHAPE_SUFFIX = "_shape"


def decode(serialized):
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="jpeg"),
        "image/class/label": tf.VarLenFeature(tf.int64),
        "image/height": tf.FixedLenFeature((), tf.int64, 1),
        "image/width": tf.FixedLenFeature((), tf.int64, 1),
    }
    items_to_handlers = {
        "image": slim_example_decoder.Image(image_key="image/encoded", format_key="image/format", channels=3),
        "classes": slim_example_decoder.Tensor("image/class/label"),
        "height": slim_example_decoder.Tensor("image/height"),
    }
    decoder = slim_example_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
    keys = decoder.list_items()
    return dict(zip(keys, decoder.decode(serialized, items=keys)))


def prefetch(tensor_dict, capacity):
    names = list(tensor_dict.keys())
    dtypes = [t.dtype for t in tensor_dict.values()]
    shapes = [t.get_shape() for t in tensor_dict.values()]
    queue = tf.PaddingFIFOQueue(capacity, dtypes=dtypes, shapes=shapes, names=names, name="prefetch_queue")
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(queue, [queue.enqueue(tensor_dict)]))
    return queue


class BatchQueue(object):
    """Pads and batches tensors, and remembers how large they were."""

    def __init__(self, tensor_dict, batch_size, batch_queue_capacity):
        static_shapes = collections.OrderedDict({key: tensor.get_shape() for key, tensor in tensor_dict.items()})
        runtime_shapes = collections.OrderedDict(
            {(key + SHAPE_SUFFIX): tf.shape(tensor) for key, tensor in tensor_dict.items()}
        )
        all_tensors = dict(tensor_dict)
        all_tensors.update(runtime_shapes)
        batched = tf.train.batch(
            all_tensors, capacity=batch_queue_capacity, batch_size=batch_size, dynamic_pad=True, num_threads=1
        )
        self._queue = prefetch_queue.prefetch_queue(batched, capacity=2, dynamic_pad=True)
        self._static_shapes = static_shapes
        self._batch_size = batch_size

    def dequeue(self):
        batched = self._queue.dequeue()
        batched.update({"unpadded": tf.unstack(batched["classes" + SHAPE_SUFFIX], num=self._batch_size)[0]})
        return batched


def inputs(data_dir, batch_size=4):
    pattern = os.path.join(data_dir, "flowers", "flowers_train_*.tfrecord")
    filename_queue = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), shuffle=False)
    _, serialized = tf.TFRecordReader().read(filename_queue)
    tensor_dict = decode(serialized)
    tensor_dict["image"] = tf.to_float(tensor_dict["image"])
    return BatchQueue(tensor_dict, batch_size, 16).dequeue()
