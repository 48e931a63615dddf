"""Trains, stops, and goes on from the newest checkpoint where there is one."""

import os
import tempfile

import tensorflow as tf

ROWS = [[1.0, 2.0], [3.0, 1.0], [0.0, 4.0]]


def batches(batch_size):
    row = tf.train.slice_input_producer([ROWS], shuffle=False)[0]
    rows = tf.train.batch([row], batch_size)
    return rows


def train(folder, last_step):
    tf.reset_default_graph()
    rows = batches(2)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    global_step = tf.get_variable("global_step", [], tf.int64, initializer=tf.zeros_initializer(), trainable=False)
    loss = tf.reduce_mean(tf.abs(tf.reduce_sum(rows * w, 1) - 2.0))
    optimizer = tf.train.RMSPropOptimizer(0.1)
    train_op = optimizer.apply_gradients(optimizer.compute_gradients(loss), global_step=global_step)
    tf.summary.scalar("loss", loss)
    summary_op = tf.summary.merge_all()
    saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        ckpt = tf.train.get_checkpoint_state(folder)
        if ckpt and ckpt.model_checkpoint_path:
            print("restored", os.path.basename(ckpt.model_checkpoint_path))
            saver.restore(sess, ckpt.model_checkpoint_path)
        summary_writer = tf.summary.FileWriter(folder, sess.graph)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = int(sess.run(global_step))
        while step < last_step:
            _, value, text = sess.run([train_op, loss, summary_op])
            step += 1
            summary_writer.add_summary(text, step)
            print("step %d: %.4f %s" % (step, value, isinstance(text, bytes)))
        saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=step)
        summary_writer.close()
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    where = tempfile.mkdtemp()
    train(where, 2)
    train(where, 5)
    print(len([name for name in os.listdir(where) if "tfevents" in name]) > 0)
