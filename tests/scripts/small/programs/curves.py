"""Summaries of everything: the pipeline's own are among them."""
import glob

import tensorflow as tf

x = tf.train.range_input_producer(20, shuffle=False, num_epochs=1, name='numbers').dequeue()
a = tf.train.batch([tf.to_float(x)], 4, capacity=16)
b = tf.train.shuffle_batch([a], 2, capacity=10, min_after_dequeue=2, enqueue_many=True, name='mix')
tf.summary.scalar('mean', tf.reduce_mean(b))
tf.summary.histogram('values', b)
merged = tf.summary.merge_all()

print(sorted(s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)))
with tf.Session() as sess:
    writer = tf.summary.FileWriter('./curves', sess.graph)
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    step = 0
    try:
        while not coord.should_stop():
            writer.add_summary(sess.run(merged), step)
            step += 1
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
    writer.close()

tags, steps = set(), set()
for event in tf.train.summary_iterator(glob.glob('./curves/*')[0]):
    for value in event.summary.value:
        tags.add(value.tag)
        steps.add(event.step)
        if 'fraction' in value.tag:
            assert 0 <= value.simple_value <= 1, value
print(sorted(tags), sorted(steps) == list(range(step)), step)
