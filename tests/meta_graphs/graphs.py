"""Input pipelines of TensorFlow 1, each a graph that ``record.py`` saves as a ``.meta`` file.

Each function builds a graph in the default one and returns what a program of that time ran. The files that a graph
reads are below ``data/``, by relative names: it is built, and run, in the folder of this module.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple

__all__ = ["GRAPHS", "Recording"]

RECORDS = ["data/a.tfrecord", "data/b.tfrecord"]


class Recording(NamedTuple):
    """One graph.

    Attributes:
      build: from the namespace ``tf`` to the list of tensors that are fetched.
      is_ordered: whether TensorFlow 1 delivers the elements in one order; otherwise rows are compared as a multiset.
      steps: how many elements are recorded of a graph that has no end.
    """

    build: Callable[[Any], List[Any]]
    is_ordered: bool = True
    steps: int = 1000


def _parsed(tf: Any, record: Any) -> List[Any]:
    """An image, ``[4, 4, 3]`` of float32, and a label. (A division by a constant is another op in a session.)"""
    features = tf.parse_single_example(
        record, {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    )
    image = tf.reshape(tf.decode_raw(features["image"], tf.uint8), [4, 4, 3])
    return [tf.cast(image, tf.float32) * (1 / 255), features["label"]]


def records_in_batches(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=2, seed=7, name="filenames")
    _, record = tf.TFRecordReader().read(names)
    return tf.train.batch(_parsed(tf, record), 4, allow_smaller_final_batch=True)


def records_shuffled(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=3, seed=11)
    _, record = tf.TFRecordReader().read(names)
    image, label = _parsed(tf, record)
    image = tf.image.random_flip_left_right(tf.random_crop(image, [3, 3, 3], seed=5), seed=6)
    return tf.train.shuffle_batch([image, label], 4, capacity=20, min_after_dequeue=8, seed=3)


def slices_of_arrays(tf: Any) -> List[Any]:
    images = tf.reshape(tf.constant(list(range(10 * 12)), tf.float32), [10, 2, 2, 3])
    image, label = tf.train.slice_input_producer([images, tf.constant(list(range(10)))], num_epochs=3, seed=2)
    image = tf.image.random_brightness(image, 0.5, seed=9)
    return tf.train.batch([image, label], 4)


def lines_of_text(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(["data/a.csv", "data/b.csv"], num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    number, word, share = tf.decode_csv(line, record_defaults=[[0], ["none"], [0.5]])
    return tf.train.batch([number, word, share], 2, allow_smaller_final_batch=True)


def whole_pictures(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer([f"data/{n}.png" for n in range(3)], num_epochs=2, shuffle=False)
    key, content = tf.WholeFileReader().read(names)
    image = tf.image.decode_png(content, channels=3)
    image = tf.image.resize_images(image, [4, 4])
    image.set_shape([4, 4, 3])
    return tf.train.batch([key, image], 2)


def fixed_records(tf: Any) -> List[Any]:
    """As the tutorial on CIFAR-10 read them, with smaller images."""
    names = tf.train.string_input_producer(["data/cifar_1.bin", "data/cifar_2.bin"], num_epochs=1, shuffle=False)
    key, record = tf.FixedLengthRecordReader(record_bytes=1 + 4 * 4 * 3).read(names)
    content = tf.decode_raw(record, tf.uint8)
    label = tf.cast(tf.strided_slice(content, [0], [1]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(content, [1], [1 + 4 * 4 * 3]), [3, 4, 4])
    image = tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32)
    image = tf.image.per_image_standardization(tf.image.resize_image_with_crop_or_pad(image, 3, 3))
    label.set_shape([1])
    images, labels, keys = tf.train.batch([image, label, key], 3)
    return [images, tf.reshape(labels, [3]), keys]


def queue_by_hand(tf: Any) -> List[Any]:
    rows = tf.reshape(tf.range(12), [6, 2])
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[2], []], name="by_hand")
    enqueue = queue.enqueue_many([rows, tf.cast(tf.reduce_sum(rows, 1), tf.float32)])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    first, second = queue.dequeue_many(4)
    return [first + 1, second]


def joined_readers(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False)
    examples = [_parsed(tf, tf.TFRecordReader().read(names)[1]) for _ in range(3)]
    return tf.train.batch_join(examples, 4, allow_smaller_final_batch=True)


def joined_and_shuffled(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=2)
    examples = [_parsed(tf, tf.TFRecordReader().read(names)[1]) for _ in range(2)]
    return tf.train.shuffle_batch_join(examples, 4, capacity=30, min_after_dequeue=5, allow_smaller_final_batch=True)


def padded_rows(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(7, num_epochs=2, shuffle=False).dequeue()
    row = tf.range(number + 1)
    return tf.train.batch([number, row], 3, dynamic_pad=True, allow_smaller_final_batch=True)


def numbers_once(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(9, num_epochs=1, seed=4, name="numbers").dequeue()
    return [tf.train.batch([number], 2, allow_smaller_final_batch=True, name="pairs")]


def numbers_forever(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(5, seed=4).dequeue()
    return [tf.train.batch([number, number * number], 3)[1]]


def program_that_trains(tf: Any) -> List[Any]:
    """An input pipeline and all that used it: optimizer, averages, summaries, saver, devices of a cluster."""
    with tf.device("/job:worker/task:0/cpu:0"):
        images, labels = records_in_batches(tf)
        images, labels = tf.identity(images, name="images"), tf.identity(labels, name="labels")
    with tf.device("/job:worker/task:0/gpu:0"):
        net = tf.layers.conv2d(images, 4, 3, activation=tf.nn.relu)
        net = tf.layers.batch_normalization(tf.layers.flatten(net), training=True)
        logits = tf.layers.dense(net, 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar("loss", loss)
    tf.summary.image("images", images)
    tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
    tf.train.Saver()
    return [images, labels]


def resource_variables(tf: Any) -> List[Any]:
    with tf.variable_scope("input", use_resource=True):
        mean = tf.get_variable("mean", [2], initializer=tf.constant_initializer([1.0, 2.0]), trainable=False)
        row = tf.train.input_producer(tf.reshape(tf.range(8.0), [4, 2]), num_epochs=2, seed=8).dequeue()
        return [tf.train.batch([row - mean], 3, allow_smaller_final_batch=True)]


def reference_variables(tf: Any) -> List[Any]:
    mean = tf.get_variable("mean", [2], initializer=tf.constant_initializer([1.0, 2.0]), trainable=False)
    row = tf.train.input_producer(tf.reshape(tf.range(8.0), [4, 2]), num_epochs=2, seed=8).dequeue()
    return [tf.train.batch([row - mean], 3, allow_smaller_final_batch=True)]


def matched_names(tf: Any) -> List[Any]:
    names = tf.train.match_filenames_once("data/*.csv")
    key, line = tf.TextLineReader().read(tf.train.string_input_producer(names, num_epochs=1, shuffle=False))
    return tf.train.batch([key, line], 3, allow_smaller_final_batch=True)


def sparse_features(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=1, shuffle=False)
    _, record = tf.TFRecordReader().read(names)
    features = tf.parse_single_example(
        record, {"words": tf.VarLenFeature(tf.int64), "label": tf.FixedLenFeature([], tf.int64)}
    )
    words, labels = tf.train.batch([features["words"], features["label"]], 3, allow_smaller_final_batch=True)
    return [tf.sparse_tensor_to_dense(words, -1), labels]


def sparse_rows_of_many(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=1, shuffle=False)
    _, records = tf.TFRecordReader().read_up_to(names, 4)
    features = tf.parse_example(
        records, {"words": tf.VarLenFeature(tf.int64), "label": tf.FixedLenFeature([], tf.int64)}
    )
    taken = tf.train.batch(features, 3, enqueue_many=True, allow_smaller_final_batch=True)
    return [taken["label"], taken["words"].indices, taken["words"].values, taken["words"].dense_shape]


def sparse_joined(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False)
    examples = []
    for _ in range(2):
        _, record = tf.TFRecordReader().read(names)
        examples.append([tf.parse_single_example(record, {"words": tf.VarLenFeature(tf.int64)})["words"]])
    words = tf.sparse_tensor_to_dense(tf.train.shuffle_batch_join(examples, 4, 30, 5), -1)
    return [tf.pad(words, [[0, 0], [0, 3 - tf.shape(words)[1]]], constant_values=-1)]


def sparse_handle(tf: Any) -> List[Any]:
    """The handle of what is stored is looked at by an op of the program's own."""
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    words = tf.SparseTensor(tf.constant([[0]], tf.int64), tf.stack([number]), tf.constant([1], tf.int64))
    taken = tf.train.batch([words], 2)
    handles = next(op for op in tf.get_default_graph().get_operations() if op.type == "Squeeze").outputs[0]
    return [tf.sparse_tensor_to_dense(taken[0] if isinstance(taken, list) else taken), tf.cast(handles >= 0, tf.int32)]


def kept_sometimes(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return [tf.train.maybe_batch([number], tf.equal(number % 3, 0), 2, allow_smaller_final_batch=True)]


def looked_up(tf: Any) -> List[Any]:
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["one", "two", "three"]))
    word = tf.train.string_input_producer(["three", "one", "none"], num_epochs=2, shuffle=False).dequeue()
    return tf.train.batch([word, table.lookup(word)], 2)


def loops_of_tensorflow_1(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    squares = tf.map_fn(lambda n: n * n, tf.range(4) + number)
    _, total = tf.while_loop(lambda n, _: n < number, lambda n, s: (n + 1, s + n), [0, 0])
    chosen = tf.cond(number > 2, lambda: squares, lambda: -squares)
    return tf.train.batch([chosen, total], 2)


def two_consumers(tf: Any) -> List[Any]:
    """Two draws from one queue, which share its elements between them."""
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(30, [tf.int32], shapes=[[]], name="shared")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number])]))
    return [tf.concat([queue.dequeue_many(2), queue.dequeue_many(2)], 0)]


def vectors_of_records(tf: Any) -> List[Any]:
    names = tf.train.string_input_producer(RECORDS, num_epochs=1, shuffle=False)
    keys, records = tf.TFRecordReader().read_up_to(names, 3)
    features = tf.parse_example(records, {"label": tf.FixedLenFeature([], tf.int64)})
    return tf.train.batch([keys, features["label"]], 4, enqueue_many=True, allow_smaller_final_batch=True)


def python_inside(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(4, num_epochs=1).dequeue()
    doubled = tf.py_func(lambda n: n * 2, [number], tf.int32)
    doubled.set_shape([])
    return [tf.train.batch([doubled], 2)]


def fed_at_each_step(tf: Any) -> List[Any]:
    rows = tf.placeholder(tf.float32, [None, 2], name="rows")
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[2]], name="fed")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue_many([rows])]))
    return [queue.dequeue_many(2)]


def filled_by_the_program(tf: Any) -> List[Any]:
    """Paths and labels that the program itself put into a queue, with ``session.run(enqueue, feed_dict)``."""
    paths = tf.placeholder(tf.string, [None, 1], name="paths")
    labels = tf.placeholder(tf.int32, [None, 1], name="labels")
    queue = tf.FIFOQueue(100, [tf.string, tf.int32], shapes=[[1], [1]], name="index_queue")
    queue.enqueue_many([paths, labels], name="enqueue")
    path, label = queue.dequeue()
    image = tf.image.resize_images(tf.image.decode_png(tf.read_file(path[0]), channels=3), [2, 2])
    image.set_shape([2, 2, 3])
    return tf.train.batch([image, label], 2)


def never_filled(tf: Any) -> List[Any]:
    return [tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="never_filled").dequeue()]


def iterator_of_its_own(tf: Any) -> List[Any]:
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(7).map(lambda n: n * n))
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return [tf.train.batch([iterator.get_next()], 3, allow_smaller_final_batch=True)]


def by_priority(tf: Any) -> List[Any]:
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    queue = tf.PriorityQueue(10, [tf.int32], shapes=[[]], name="by_priority")
    enqueue = queue.enqueue([tf.constant(5, tf.int64) - tf.cast(number, tf.int64), number])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue()


def by_priority_of_two(tf: Any) -> List[Any]:
    """Of two producers, each with a number of epochs that a variable counts."""
    queue = tf.PriorityQueue(10, [tf.int32], shapes=[[]], name="by_priority_of_two")
    numbers = [
        first + tf.train.range_input_producer(3, num_epochs=epochs, shuffle=False).dequeue()
        for first, epochs in ((0, 1), (100, 4))
    ]
    enqueues = [queue.enqueue([tf.cast(number, tf.int64), number]) for number in numbers]
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, enqueues))
    return queue.dequeue()


def buckets(tf: Any) -> List[Any]:
    """One runner fills the queues of both buckets, each in a branch."""
    number = tf.train.range_input_producer(16, num_epochs=1, shuffle=False).dequeue()
    return list(tf.contrib.training.bucket([number], number % 2, 2, 2))[1:]


GRAPHS: Dict[str, Recording] = {
    "by_priority": Recording(by_priority, is_ordered=False),
    "by_priority_of_two": Recording(by_priority_of_two, is_ordered=False),
    "buckets": Recording(buckets, is_ordered=False),
    "fed_at_each_step": Recording(fed_at_each_step, steps=0),
    "filled_by_the_program": Recording(filled_by_the_program, steps=0),
    "fixed_records": Recording(fixed_records),
    "iterator_of_its_own": Recording(iterator_of_its_own),
    "joined_and_shuffled": Recording(joined_and_shuffled, is_ordered=False),
    "joined_readers": Recording(joined_readers, is_ordered=False),
    "kept_sometimes": Recording(kept_sometimes),
    "lines_of_text": Recording(lines_of_text),
    "looked_up": Recording(looked_up),
    "loops_of_tensorflow_1": Recording(loops_of_tensorflow_1),
    "matched_names": Recording(matched_names),
    "program_that_trains": Recording(program_that_trains),
    "never_filled": Recording(never_filled, steps=0),
    "numbers_forever": Recording(numbers_forever, steps=12),
    "numbers_once": Recording(numbers_once),
    "padded_rows": Recording(padded_rows),
    "python_inside": Recording(python_inside, steps=0),
    "queue_by_hand": Recording(queue_by_hand, steps=7),
    "records_in_batches": Recording(records_in_batches),
    "records_shuffled": Recording(records_shuffled, is_ordered=False),
    "reference_variables": Recording(reference_variables),
    "resource_variables": Recording(resource_variables),
    "sparse_handle": Recording(sparse_handle),
    "sparse_joined": Recording(sparse_joined, is_ordered=False),
    "sparse_rows_of_many": Recording(sparse_rows_of_many),
    "slices_of_arrays": Recording(slices_of_arrays),
    "sparse_features": Recording(sparse_features),
    "two_consumers": Recording(two_consumers, is_ordered=False),
    "vectors_of_records": Recording(vectors_of_records),
    "whole_pictures": Recording(whole_pictures),
}
