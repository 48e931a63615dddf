"""What a reader knows of itself: how much it has read, and num_work_units_completed."""
import tensorflow as tf

for i in range(3):
    with open('f%d.txt' % i, 'w') as f:
        f.write('x\n' * (i + 1))

queue = tf.train.string_input_producer(['f0.txt', 'f1.txt', 'f2.txt'], shuffle=False, num_epochs=1)
reader = tf.TextLineReader(name='lines')
key, value = reader.read(queue)
records, files = reader.num_records_produced(), reader.num_work_units_completed()
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while True:
            print(sess.run(key).decode(), *[int(v) for v in sess.run([records, files])])
    except tf.errors.OutOfRangeError:
        print(*[int(v) for v in sess.run([records, files])])
    coord.request_stop()
    coord.join(threads)
