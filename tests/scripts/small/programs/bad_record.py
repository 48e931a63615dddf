"""One bad record, and an error that the program does not catch: what it ends with."""
import tensorflow as tf

line = tf.train.string_input_producer(['7', 'x'], shuffle=False, num_epochs=1).dequeue()
number = tf.train.batch([tf.string_to_number(line)], 1)
with tf.train.MonitoredTrainingSession() as sess:
    while not sess.should_stop():
        print(sess.run(number))
print('not reached')
