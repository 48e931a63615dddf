"""An autoencoder that says now and then how far it is; a copy of the encoder reads a second pipeline."""

import tensorflow as tf

import loading
from nets import autoencoder


def log(step, names, values):
    print("[%d] %s" % (step, ", ".join("%s %.4f" % pair for pair in zip(names, values))))


def main(max_steps=4, every=2):
    train_x = loading.numbers("lines.txt", 2)
    test_x = loading.numbers("lines.txt", 4, num_epochs=1)
    code, restored = autoencoder(train_x)
    _, test_restored = autoencoder(test_x, reuse=True)
    train_cost = tf.reduce_mean(tf.squared_difference(train_x, restored))
    test_cost = tf.reduce_mean(tf.squared_difference(test_x, test_restored))
    sparsity = tf.nn.zero_fraction(code)
    step_op = tf.train.AdamOptimizer(0.01).minimize(train_cost)
    sess = tf.InteractiveSession()
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        for step in range(max_steps):
            sess.run(step_op)
            if step % every == every - 1:
                names, values = ["cost", "zeros"], sess.run([train_cost, sparsity])
                log(step, names, values)
        log(max_steps, ["test"], [sess.run(test_cost)])
        log(max_steps, ["test"], [sess.run(test_cost)])
    except tf.errors.OutOfRangeError:
        print("one look at the test data")
    coord.request_stop()
    coord.join(threads)


if __name__ == "__main__":
    main()
