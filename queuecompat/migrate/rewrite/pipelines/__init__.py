"""Rewrites a straight-line queue pipeline as equivalent tf.data code, part by part.

    files = tf.train.string_input_producer(names)             dataset = tf.data.Dataset.from_tensor_slices(names)
    _, record = tf.TFRecordReader().read(files)          ->   dataset = dataset.shuffle(...).repeat()
    image = decode(record)                                    dataset = tf.data.TFRecordDataset(dataset)
    return tf.train.shuffle_batch([image], 8, 100, 50)        dataset = dataset.shuffle(100).map(...).batch(8, ...)

``reading`` reads the pipeline statement by statement into ``parts``, with one module for each kind of part
(``records``, ``producers``, ``readers``, ``joins``, ``choices``, ``batchers``, ``batches``); ``writing`` writes the new
function. A part without a counterpart in tf.data raises ``UnsupportedPatternError``. The pipeline is then read once
more in its plain form (``plain_form``: ``inlining``, ``own_lines``, ``simplifying``, ``own_queues``).

What these modules share:

    calls               a call of one of TensorFlow 1's input functions
    examples, filled    the tensors of one example; lists and dicts of them
    arrays              arrays in place of files
    branches            the branches of an ``if``, and of a function that returns early
    record_functions    a function that reads and decodes becomes one that decodes
    record_queues       a queue of records between reader and decoding; queue_runners: what fills it
    code_motion         whether statements may move; row_wise: whether they may run on blocks
"""
