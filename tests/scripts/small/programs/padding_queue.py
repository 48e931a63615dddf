"""Sentences through a PaddingFIFOQueue with its own QueueRunner, added to the collection."""
import tensorflow as tf

LINES = ['the cat', 'sat', 'on the mat today', 'and', 'slept well']


def inputs():
    line = tf.train.string_input_producer(LINES, shuffle=False, num_epochs=1).dequeue()
    words = tf.string_split([line]).values
    queue = tf.PaddingFIFOQueue(20, [tf.string, tf.int32], shapes=[[None], []])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([words, tf.size(words)])]))
    return queue.dequeue_many(2)


if __name__ == '__main__':
    words, lengths = inputs()
    print(words.get_shape().as_list(), lengths.get_shape().as_list())
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                w, n = sess.run([words, lengths])
                print(w.tolist(), n.tolist())
        except tf.errors.OutOfRangeError:
            print('one sentence is left over')
        coord.request_stop()
        coord.join(threads)
