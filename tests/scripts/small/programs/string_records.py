"""One record at a time: a variable number of words, joined again; dtype and shape of everything."""
import tensorflow as tf


def write_file():
    with tf.python_io.TFRecordWriter('words.tfr', tf.python_io.TFRecordOptions(
            tf.python_io.TFRecordCompressionType.GZIP)) as w:
        for n in range(7):
            feature = {
                'words': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'w%d' % i for i in range(n)])),
                'id': tf.train.Feature(int64_list=tf.train.Int64List(value=[n * n])),
            }
            w.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def inputs():
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    _, record = tf.TFRecordReader(options=options).read(
        tf.train.string_input_producer(tf.constant(['words.tfr']), num_epochs=1))
    parsed = tf.parse_single_example(record, features={
        'words': tf.VarLenFeature(tf.string), 'id': tf.FixedLenFeature((), tf.int64)})
    joined = tf.reduce_join(tf.sparse_tensor_to_dense(parsed['words'], ''), 0, separator=' ')
    return tf.train.batch([parsed['id'], joined], batch_size=3)


if __name__ == '__main__':
    write_file()
    ids, sentences = inputs()
    print(ids.name, sentences.name, ids.shape, sentences.dtype)
    with tf.Session() as sess:
        tf.local_variables_initializer().run()
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        for _ in range(2):
            print(*[x.tolist() for x in sess.run([ids, sentences])])
        # Seven records make two batches of three; the seventh is dropped.
        try:
            sess.run(ids)
        except tf.errors.OutOfRangeError as e:
            print(type(e).__name__, e.error_code)
        coord.request_stop()
        coord.join(threads)
