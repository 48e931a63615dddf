"""An interactive session: tensors are asked for their values."""

import tensorflow as tf

queue = tf.train.string_input_producer(["a.bin", "b.bin"], shuffle=False)
reader = tf.FixedLengthRecordReader(4)
_, value = reader.read(queue)
pixels = tf.cast(tf.decode_raw(value, tf.uint8), tf.float32)
pixels.set_shape([4])
batch = tf.train.batch([pixels], 2)
mean = tf.reduce_mean(batch, 1)

sess = tf.InteractiveSession()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(coord=coord)
for _ in range(3):
    print(batch.eval().tolist())
print(mean.eval().tolist())
coord.request_stop()
coord.join(threads)
