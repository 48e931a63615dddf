"""Learns the temperature of a day from its air pressure and humidity."""

import tempfile

import tensorflow as tf
import weather_input
import weather_model


def main():
    folder = tempfile.mkdtemp()
    weather_input.write_years(folder)
    days, measured = weather_input.days(folder, 20, 5)
    error = weather_model.error_of(weather_model.temperature_of(days), measured)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(error)

    step = 0
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                _, value = sess.run([train_op, error])
                step += 1
                if step % 30 == 0:
                    print("step %d  error %.2f" % (step, value))
        except tf.errors.OutOfRangeError:
            print("done after %d steps" % step)
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
