"""A Supervisor without services; the loop asks it whether to stop, and looper threads work beside it."""
import tensorflow as tf


def input_fn():
    features = tf.train.range_input_producer(9, shuffle=False, num_epochs=4).dequeue()
    return tf.train.batch([tf.to_float(features)], 6, allow_smaller_final_batch=False)


def main():
    with tf.Graph().as_default():
        batch = input_fn()
        step = tf.Variable(0, name='global_step', trainable=False)
        total = tf.Variable(0.0, name='total')
        with tf.control_dependencies([tf.assign_add(total, tf.reduce_sum(batch))]):
            add = tf.assign_add(step, 1)
        sv = tf.train.Supervisor(logdir='./log', summary_op=None, global_step=step, save_model_secs=0)
        beats = []
        with sv.managed_session('', config=tf.ConfigProto()) as sess:
            sv.loop(0.01, lambda: beats.append(1))
            while not sv.should_stop():
                try:
                    sess.run(add)
                except tf.errors.OutOfRangeError:
                    print('totals', sess.run([step, total]) == [6, 144.0])
                    sv.request_stop()
        print('beats', len(beats) > 0, 'saved', len(tf.gfile.Glob('./log/*ckpt*')))


if __name__ == '__main__':
    main()
