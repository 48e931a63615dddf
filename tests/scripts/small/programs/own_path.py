"""A library beside the scripts: its folder is put on sys.path by the script itself."""
import os
import sys

os.makedirs('research/lib/input_helpers')
with open('research/lib/input_helpers/__init__.py', 'w') as f:
    f.write('from input_helpers.numbers import numbers\n')
with open('research/lib/input_helpers/numbers.py', 'w') as f:
    f.write('''
import tensorflow as tf

def numbers(limit, batch_size):
    n = tf.train.range_input_producer(limit, shuffle=False, num_epochs=1).dequeue()
    return tf.train.batch([n, tf.to_float(n) / limit], batch_size, allow_smaller_final_batch=True)
''')
sys.path.append(os.path.abspath('research/lib'))

import tensorflow as tf
import input_helpers

n, share = input_helpers.numbers(5, batch_size=2)
with tf.train.MonitoredTrainingSession() as sess:
    while not sess.should_stop():
        print(*[v.tolist() for v in sess.run([n, share])])
