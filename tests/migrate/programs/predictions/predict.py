"""Writes a line for each row of the test data."""

import argparse

import tensorflow as tf


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=4)
    parser.add_argument("--test", default="c.csv")
    parser.add_argument("--out", default="predictions.txt")
    return parser.parse_args()


def test_inputs(path, batch_size):
    queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
    key, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], batch_size, allow_smaller_final_batch=True)


def main():
    args = parse_arguments()
    ids, halves = test_inputs(args.test, args.batch_size)
    weights = tf.get_variable("weights", [1, 2], initializer=tf.constant_initializer([[1.0, -0.5]]))
    scores = tf.nn.softmax(tf.matmul(tf.expand_dims(halves, 1), weights))
    predictions = tf.argmax(scores, 1)
    with tf.Session() as sess, open(args.out, "w") as out:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                numbers, classes, values = sess.run([ids, predictions, scores])
                for number, one, score in zip(numbers, classes, values):
                    out.write("%d %d %.4f\n" % (number, one, score.max()))
        except tf.errors.OutOfRangeError:
            print("all rows are predicted")
        finally:
            coord.request_stop()
        coord.join(threads)
    with open(args.out) as written:
        print(written.read())


if __name__ == "__main__":
    main()
