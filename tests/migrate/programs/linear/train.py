"""A line through the rows of CSV files, everything at the top of the file."""

import tensorflow as tf

filename_queue = tf.train.string_input_producer(["a.csv", "b.csv"], shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(filename_queue)
number, half = tf.decode_csv(value, record_defaults=[[0.0], [0.0]])
x_batch, y_batch = tf.train.batch([half, number], batch_size=3)

w = tf.Variable(0.1, name="w")
b = tf.Variable(0.0, name="b")
hypothesis = w * x_batch + b
cost = tf.reduce_mean(tf.square(hypothesis - y_batch))
train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
for step in range(6):
    cost_val, hy_val, _ = sess.run([cost, hypothesis, train])
    if step % 2 == 0:
        print(step, "cost: %.3f" % cost_val, "prediction:", ["%.3f" % one for one in hy_val])
coord.request_stop()
coord.join(threads)
