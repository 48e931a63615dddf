import numpy as np
import tensorflow as tf

import input_data

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("wanted_words", "word_0,word_1,word_2", "Words.")
tf.app.flags.DEFINE_string("how_many_training_steps", "3,2", "Steps for each rate.")
tf.app.flags.DEFINE_string("learning_rate", "0.5,0.1", "The rates.")


def create_single_fc_model(fingerprint_input, label_count, keep_scale):
    weights = tf.get_variable("weights", [8, label_count], initializer=tf.constant_initializer(0.1))
    bias = tf.get_variable("bias", [label_count], initializer=tf.zeros_initializer())
    return tf.matmul(fingerprint_input * keep_scale, weights) + bias


def main(_):
    audio_processor = input_data.AudioProcessor(".", FLAGS.wanted_words.split(","))
    label_count = len(audio_processor.words_list)
    steps_list = list(map(int, FLAGS.how_many_training_steps.split(",")))
    rates_list = list(map(float, FLAGS.learning_rate.split(",")))
    fingerprints, labels = audio_processor.get_batch(2, 0.5)
    keep_scale = tf.placeholder(tf.float32, [], name="keep_scale")
    logits = create_single_fc_model(fingerprints, label_count, keep_scale)
    cross_entropy_mean = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    learning_rate_input = tf.placeholder(tf.float32, [], name="learning_rate_input")
    train_step = tf.train.GradientDescentOptimizer(learning_rate_input).minimize(cross_entropy_mean)
    correct = tf.equal(tf.argmax(logits, 1), tf.cast(labels, tf.int64))
    evaluation_step = tf.reduce_mean(tf.cast(correct, tf.float32))
    sess = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    training_steps_max = np.sum(steps_list)
    for training_step in range(1, training_steps_max + 1):
        steps_sum = 0
        for i in range(len(steps_list)):
            steps_sum += steps_list[i]
            if training_step <= steps_sum:
                rate = rates_list[i]
                break
        accuracy, loss, _ = sess.run(
            [evaluation_step, cross_entropy_mean, train_step],
            feed_dict={learning_rate_input: rate, keep_scale: 0.5},
        )
        print("Step #%d: rate %f, accuracy %.1f%%, cross entropy %f" % (training_step, rate, accuracy * 100, loss))
    coord.request_stop()
    coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
