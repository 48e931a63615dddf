import os
import tempfile

import tensorflow as tf

import input_data
import model

N_CLASSES = 2
IMG_W = 4
IMG_H = 4
BATCH_SIZE = 2
CAPACITY = 20
MAX_STEP = 4


def run_training():
    logs_train_dir = tempfile.mkdtemp()
    train, train_label = input_data.get_files("faces")
    train_batch, train_label_batch = input_data.get_batch(train, train_label, IMG_W, IMG_H, BATCH_SIZE, CAPACITY)
    train_logits = model.inference(train_batch, BATCH_SIZE, N_CLASSES)
    train_loss = model.losses(train_logits, train_label_batch)
    train_op = model.training(train_loss, 0.1)
    train_acc = model.evaluation(train_logits, train_label_batch)
    summary_op = tf.summary.merge_all()
    sess = tf.Session()
    train_writer = tf.summary.FileWriter(logs_train_dir, sess.graph)
    saver = tf.train.Saver()
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        for step in range(MAX_STEP):
            if coord.should_stop():
                break
            _, tra_loss, tra_acc = sess.run([train_op, train_loss, train_acc])
            if step % 2 == 0:
                print("Step %d, loss = %.4f, accuracy = %.1f%%" % (step, tra_loss, tra_acc * 100.0))
                summary_str = sess.run(summary_op)
                train_writer.add_summary(summary_str, step)
            if step + 1 == MAX_STEP:
                checkpoint_path = os.path.join(logs_train_dir, "model.ckpt")
                print(os.path.basename(saver.save(sess, checkpoint_path, global_step=step)))
    except tf.errors.OutOfRangeError:
        print("epoch limit reached")
    finally:
        coord.request_stop()
    coord.join(threads)
    sess.close()


run_training()
