# call: ptb_producer(list(range(20)), 2, 3)
# order: fixed
import tensorflow as tf


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    with tf.name_scope(name, "producer", [raw_data, batch_size, num_steps]):
        raw_data = tf.convert_to_tensor(raw_data, name="raw", dtype=tf.int32)
        length = tf.size(raw_data)
        columns = length // batch_size
        data = tf.reshape(raw_data[0 : batch_size * columns], [batch_size, columns])
        epoch_size = (columns - 1) // num_steps
        assertion = tf.assert_positive(epoch_size, message="fewer steps, please")
        with tf.control_dependencies([assertion]):
            epoch_size = tf.identity(epoch_size, name="epoch_size")
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        x.set_shape([batch_size, num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        y.set_shape([batch_size, num_steps])
        return x, y
