import tensorflow as tf

import model
import pictures

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("train_split", "pictures_0.bin,pictures_1.bin", "Files.")
tf.app.flags.DEFINE_float("weight_decay", 0.01, "Of the kernels.")
tf.app.flags.DEFINE_integer("training_number_of_steps", 4, "Steps.")


def _total_loss():
    losses = tf.get_collection(tf.GraphKeys.LOSSES)
    regularization = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return tf.add_n(losses + regularization, name="total_loss")


def main(unused_argv):
    tf.logging.set_verbosity(tf.logging.ERROR)
    with tf.Graph().as_default():
        samples = pictures.get(FLAGS.train_split.split(","), 2)
        options = model.ModelOptions(num_classes=3, weight_decay=FLAGS.weight_decay)
        logits = model.multi_scale_logits(samples["image"], options)
        model.add_losses(logits, samples["label"], pictures.IGNORED)
        total_loss = _total_loss()
        step = tf.train.get_or_create_global_step()
        rate = tf.train.polynomial_decay(0.5, step, FLAGS.training_number_of_steps, 0.1, power=0.9)
        train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(total_loss, global_step=step)
        with tf.control_dependencies([train_op]):
            train_tensor = tf.identity(total_loss, name="train_op")
        summaries = set(tf.get_collection(tf.GraphKeys.SUMMARIES))
        summaries.add(tf.summary.scalar("total_loss", total_loss))
        summary_op = tf.summary.merge(list(summaries))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            for number in range(FLAGS.training_number_of_steps):
                value, text = sess.run([train_tensor, summary_op])
                found = tf.Summary.FromString(text)
                written = [one.simple_value for one in found.value if one.tag.startswith("total_loss")]
                print("%d %.4f %s" % (number, value, ["%.4f" % one for one in written]))
            coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
