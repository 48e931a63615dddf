"""Every list of variables that a program may print, and a Saver of everything."""
import tensorflow as tf

x = tf.train.string_input_producer(['1', '2'], shuffle=False).dequeue()
batch = tf.train.batch([tf.string_to_number(x)], 2)
w = tf.Variable(3.0, name='w')
step = tf.train.get_or_create_global_step()
total = tf.reduce_sum(batch) * w
report = tf.report_uninitialized_variables()
init = tf.global_variables_initializer()

for collection in (tf.global_variables(), tf.local_variables(), tf.trainable_variables(), tf.model_variables()):
    print([v.op.name for v in collection])
saver = tf.train.Saver()
with tf.Session() as sess:
    print(sess.run(report).tolist())
    sess.run(init)
    print(sess.run(report).tolist())
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    print(sess.run(total), sess.run(report).tolist())
    path = saver.save(sess, './all', global_step=7)
    coord.request_stop()
    coord.join(threads)
print(path, sorted(name for name, _ in tf.contrib.framework.list_variables(path)))
