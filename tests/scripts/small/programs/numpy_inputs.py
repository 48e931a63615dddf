"""tf.estimator's numpy_input_fn, called by hand: its dict of features and its targets."""
import numpy as np
import tensorflow as tf

x = {'a': np.arange(10.0), 'b': np.arange(20).reshape(10, 2)}
y = np.arange(10) * 10


def inputs():
    return tf.estimator.inputs.numpy_input_fn(x, y, batch_size=4, num_epochs=2, shuffle=False)()


def main(_):
    features, targets = inputs()
    print(sorted(features), [features[k].dtype.name for k in sorted(features)])
    with tf.train.SingularMonitoredSession() as sess:
        while not sess.should_stop():
            f, t = sess.run([features, targets])
            print(f['a'].tolist(), f['b'].sum(axis=0).tolist(), t.tolist())


if __name__ == '__main__':
    tf.app.run(main=main)
