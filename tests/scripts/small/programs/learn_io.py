"""contrib.learn's readers of batches of Examples and of parsed features; rows are sorted, threads race."""
import tensorflow as tf

PATTERN = 'shard-*'


def write_shards():
    for shard in range(2):
        with tf.python_io.TFRecordWriter('shard-%d' % shard) as writer:
            for i in range(5):
                e = tf.train.Example()
                e.features.feature['n'].int64_list.value.append(10 * shard + i)
                e.features.feature['s'].bytes_list.value.append(b'x' * i)
                writer.write(e.SerializeToString())


def inputs():
    features = tf.contrib.learn.io.read_batch_features(
        PATTERN, batch_size=5, reader=tf.TFRecordReader, randomize_input=True, num_epochs=2,
        features={'n': tf.FixedLenFeature([], tf.int64), 's': tf.FixedLenFeature([], tf.string)},
        queue_capacity=40, reader_num_threads=2)
    return features['n'], features['s']


if __name__ == '__main__':
    write_shards()
    n, s = inputs()
    rows = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            rows += zip(*[v.tolist() for v in sess.run([n, s])])
    print(len(rows))
    for row in sorted(rows):
        print(*row)
