"""A StagingArea between the batch and the model: one step is always under way."""
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

x, = tf.train.slice_input_producer([tf.range(12)], shuffle=False, num_epochs=1)
batch = tf.train.batch([x, x * x], batch_size=4)
area = data_flow_ops.StagingArea([tf.int32, tf.int32], shapes=[[4], [4]])
stage = area.put(batch)
a, b = area.get()
total = tf.reduce_sum(b - a)

with tf.train.MonitoredSession(
    session_creator=tf.train.ChiefSessionCreator(config=tf.ConfigProto(allow_soft_placement=True))) as sess:
  sess.run(stage)
  while not sess.should_stop():
    print(sess.run([total, stage])[0])
# The last batch stays in the area: nothing can be staged for it any more.
print('end')
