"""Distributed code on one machine: a server without a cluster, and a session of its target."""
import tensorflow as tf

server = tf.train.Server.create_local_server()
is_chief = server.server_def.task_index == 0
with tf.device(tf.train.replica_device_setter(0, worker_device='/job:local/task:0')):
    step = tf.train.get_or_create_global_step()
    name = tf.train.string_input_producer(['one', 'two', 'three'], shuffle=False, num_epochs=2).dequeue()
    names = tf.train.batch([name], 2)
    count = tf.assign_add(step, 1)

hooks = [tf.train.StopAtStepHook(last_step=10)]
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks) as sess:
    while not sess.should_stop():
        print(*sess.run([names, count]))
print('done')
