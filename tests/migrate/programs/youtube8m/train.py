import tensorflow as tf

import models
import readers

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string("train_data_pattern", "train-*", "Files.")
tf.flags.DEFINE_integer("batch_size", 4, "Examples of a batch.")
tf.flags.DEFINE_integer("max_steps", 4, "Steps.")
tf.flags.DEFINE_float("base_learning_rate", 0.5, "The first rate.")
tf.flags.DEFINE_float("clip_gradient_norm", 1.0, "Norm to clip to.")


def get_input_data_tensors(reader, data_pattern, batch_size):
    with tf.name_scope("train_input"):
        files = sorted(tf.gfile.Glob(data_pattern))
        if not files:
            raise IOError("no files match " + data_pattern)
        queue = tf.train.string_input_producer(files, shuffle=False)
        features, labels = reader.prepare_reader(queue)
        return tf.train.batch([features, labels], batch_size=batch_size, capacity=batch_size * 2)


def build_graph(reader, model):
    global_step = tf.Variable(0, trainable=False, name="global_step")
    model_input_raw, labels_batch = get_input_data_tensors(reader, FLAGS.train_data_pattern, FLAGS.batch_size)
    model_input = tf.nn.l2_normalize(model_input_raw, 1)
    learning_rate = tf.train.exponential_decay(FLAGS.base_learning_rate, global_step, 2, 0.9, staircase=True)
    predictions = model.create_model(model_input, vocab_size=reader.num_classes)["predictions"]
    label_loss = models.cross_entropy(predictions, labels_batch)
    reg_loss = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    optimizer = tf.train.AdamOptimizer(learning_rate)
    gradients = optimizer.compute_gradients(label_loss + reg_loss)
    clipped = [(tf.clip_by_norm(grad, FLAGS.clip_gradient_norm), var) for grad, var in gradients]
    train_op = optimizer.apply_gradients(clipped, global_step=global_step)
    return global_step, label_loss, predictions, train_op


def main(unused_argv):
    with tf.Graph().as_default():
        global_step, loss, predictions, train_op = build_graph(readers.ValuesReader(), models.LogisticModel())
        sv = tf.train.Supervisor(global_step=global_step, save_model_secs=0, save_summaries_secs=0)
        with sv.managed_session("", config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            while not sv.should_stop():
                _, step, loss_val, found = sess.run([train_op, global_step, loss, predictions])
                print("training step %d | Loss: %.4f %s" % (step, loss_val, found.shape))
                if step >= FLAGS.max_steps:
                    break
        sv.Stop()


if __name__ == "__main__":
    tf.app.run()
