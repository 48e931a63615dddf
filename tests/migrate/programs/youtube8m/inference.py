"""The best class of each example, in one epoch."""

import tensorflow as tf

import models
import readers


def get_input_data_tensors(reader, pattern, batch_size):
    queue = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), num_epochs=1, shuffle=False)
    features, labels = reader.prepare_reader(queue)
    features, labels = tf.train.batch([features, labels], batch_size, allow_smaller_final_batch=True)
    return features, labels


def inference(reader, pattern, batch_size):
    with tf.Session() as sess:
        features, labels = get_input_data_tensors(reader, pattern, batch_size)
        scores = models.LogisticModel().create_model(features, vocab_size=reader.num_classes)["predictions"]
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        num_examples = 0
        try:
            while not coord.should_stop():
                values, one_hot = sess.run([scores, labels])
                num_examples += len(values)
                print(["%.4f" % max(row) for row in values], one_hot.argmax(1).tolist())
        except tf.errors.OutOfRangeError:
            print("done with %d examples" % num_examples)
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()


if __name__ == "__main__":
    inference(readers.ValuesReader(), "train-*", 3)
