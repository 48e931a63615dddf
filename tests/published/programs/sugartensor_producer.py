"""A Python function between two queues, as sugartensor's speech recognisers load audio, in its kind of queue runner."""

import numpy as np
import sugartensor as tf


@tf.sg_producer_func
def load(sources):
    number, name = sources
    return np.full([int(number) + 1], int(number), np.float32), name


numbers, names = np.arange(10).astype(np.int32), [f"name {number}" for number in range(10)]
number, name = tf.train.slice_input_producer(
    [tf.convert_to_tensor(numbers), tf.convert_to_tensor(names)], shuffle=False
)
audio, said = load(source=[number, name], dtypes=[tf.sg_floatx, tf.string], capacity=16)
audio.set_shape([None])
said.set_shape([])
batch = tf.train.batch([audio, said], 5, dynamic_pad=True)
with tf.Session() as session:
    tf.sg_init(session)
    with tf.sg_queue_context(session):
        for first in (0, 5, 0, 5):
            padded, texts = session.run(batch)
            assert padded.shape == (5, first + 5)
            assert padded[:, 0].tolist() == list(range(first, first + 5))
            assert texts.tolist() == [names[number].encode() for number in range(first, first + 5)]
print("4 batches")
