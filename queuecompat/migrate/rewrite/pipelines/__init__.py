"""The parts of a queue pipeline that is written straight on, and the tf.data code that does the same.

    files = tf.train.string_input_producer(names)             dataset = tf.data.Dataset.from_tensor_slices(names)
    _, record = tf.TFRecordReader().read(files)          ->   dataset = dataset.shuffle(...).repeat()
    image = decode(record)                                    dataset = tf.data.TFRecordDataset(dataset)
    return tf.train.shuffle_batch([image], 8, 100, 50)        dataset = dataset.shuffle(100).map(...).batch(8, ...)

One module for each kind of part. What has no counterpart raises ``UnsupportedPatternError``.
"""
