"""Rewrites a straight-line queue pipeline as equivalent tf.data code, part by part.

    files = tf.train.string_input_producer(names)             dataset = tf.data.Dataset.from_tensor_slices(names)
    _, record = tf.TFRecordReader().read(files)          ->   dataset = dataset.shuffle(...).repeat()
    image = decode(record)                                    dataset = tf.data.TFRecordDataset(dataset)
    return tf.train.shuffle_batch([image], 8, 100, 50)        dataset = dataset.shuffle(100).map(...).batch(8, ...)

``reading`` reads the pipeline statement by statement into ``parts``, with one module for each kind of part
(``records``, ``producers``, ``readers``, ``joins``, ``choices``, ``batchers``, ``batches``); ``writing`` writes the new
function. A part without a counterpart in tf.data raises ``UnsupportedPatternError``. The pipeline is then read once
more in its plain form (``plain_form``: ``inlining``, ``draws``, ``simplifying``, ``own_queues``).
"""
