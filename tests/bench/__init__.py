"""The benchmark: queuecompat against native queues and against hand-written tf.data, in one run."""
