"""Stop politely on a signal, as a job scheduler sends it before it takes the machine away."""
import os
import signal
import threading

import tensorflow as tf

coord = tf.train.Coordinator()


def on_signal(number, frame):
    print('got', signal.Signals(number).name)
    coord.request_stop()


signal.signal(signal.SIGUSR1, on_signal)

index = tf.train.range_input_producer(7, seed=1).dequeue()
x = tf.train.batch([index], 7)
with tf.Session() as sess:
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    steps = 0
    while not coord.should_stop():
        assert sorted(sess.run(x).tolist()) == list(range(7))
        steps += 1
        if steps == 5:
            os.kill(os.getpid(), signal.SIGUSR1)
    coord.join(threads)
    print('steps', steps, 'alive', [t.name for t in threads if t.is_alive()])
    left = 0
    try:
        while True:
            sess.run(x)
            left += 1
    except tf.errors.OutOfRangeError:
        print('end' if left < 10 else 'too much was left')
print(threading.active_count() - len([t for t in threading.enumerate() if t is threading.main_thread()]))
