"""Train a little, freeze the variables into the graph, and use it with a feed."""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import graph_util

X = np.linspace(-1, 1, 40).astype(np.float32).reshape(20, 2)
Y = X.dot(np.array([[2.0], [-1.0]], np.float32))

with tf.Graph().as_default() as graph:
    x, y = tf.train.slice_input_producer([X, Y], shuffle=False)
    x, y = tf.train.batch([x, y], 20)
    x = tf.identity(x, name='inputs')
    w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
    prediction = tf.matmul(x, w, name='prediction')
    loss = tf.losses.mean_squared_error(y, prediction)
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(30):
            _, value = sess.run([train, loss])
        print('loss %.4f' % value)
        coord.request_stop()
        coord.join(threads)
        constants = graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ['prediction'])
        small = graph_util.extract_sub_graph(graph.as_graph_def(), ['w/read'])

print([n.name for n in small.node], any(n.op.startswith('Variable') for n in constants.node))
with tf.Graph().as_default(), tf.Session() as sess:
    out, = tf.import_graph_def(constants, return_elements=['prediction:0'], name='frozen')
    fed = np.resize([[1, 0], [0, 1], [1, 1]], [20, 2])
    print(np.round(sess.run(out, {'frozen/inputs:0': fed}), 2).ravel().tolist()[:3])
