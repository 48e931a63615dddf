"""MonitoredTrainingSession with hooks of its own, and data that never ends."""
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)


class Watch(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss, self.values = loss, []

    def after_create_session(self, session, coord):
        print('created', coord.should_stop())

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(run_values.results)
        if run_values.results < 1e-3:
            run_context.request_stop()

    def end(self, session):
        print('last', session.run(tf.train.get_global_step()))


x, = tf.train.slice_input_producer([[[1.0], [2.0], [3.0], [4.0]]], shuffle=False)
x = tf.train.batch([x], 2)
w = tf.get_variable('w', [1, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 3 * x))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_or_create_global_step())
watch = Watch(loss)
hooks = [watch, tf.train.StopAtStepHook(num_steps=500), tf.train.NanTensorHook(loss)]
with tf.train.MonitoredTrainingSession(checkpoint_dir='./monitored', hooks=hooks, save_checkpoint_secs=600) as sess:
    while not sess.should_stop():
        sess.run(train_op)
print(len(watch.values), ['%.4f' % v for v in watch.values[:3]])
print(tf.train.latest_checkpoint('./monitored'))
