"""QueueBase.from_list: the index that is fed says from which queue the next batch comes."""
import tensorflow as tf


def queue_of(values, name):
    x = tf.train.input_producer(values, shuffle=False, name=name + '_source').dequeue()
    queue = tf.FIFOQueue(10, [tf.float32], [[]], name=name)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([x])]))
    return queue


train = queue_of([0.1, 0.2, 0.3], 'train')
valid = queue_of([10., 20.], 'valid')
select = tf.placeholder_with_default(0, [])
queue = tf.QueueBase.from_list(select, [train, valid])
batch = queue.dequeue_many(2)
batch.set_shape([2])

sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
for which in (0, 0, 1, 0, 1, 1):
    print(which, ['%.1f' % v for v in sess.run(batch, feed_dict={select: which})])
print(['%.1f' % v for v in sess.run(batch)])
coord.request_stop()
coord.join(threads)
sess.close()
