"""Records are batched as strings; tf.parse_example takes apart a whole batch at once."""
import tensorflow as tf

FILE = 'people.tfrecords'


def write_people():
  writer = tf.python_io.TFRecordWriter(FILE)
  for i, (name, tags) in enumerate([('ann', [3, 1]), ('bob', []), ('cy', [4]), ('dee', [1, 5, 9]), ('eve', [2])]):
    example = tf.train.Example()
    example.features.feature['name'].bytes_list.value.append(name.encode())
    example.features.feature['tags'].int64_list.value.extend(tags)
    if i % 2:
      example.features.feature['weight'].float_list.value.append(i / 4.0)
    writer.write(example.SerializeToString())
  writer.close()


def inputs():
  filename_queue = tf.train.string_input_producer([FILE], num_epochs=2)
  reader = tf.TFRecordReader()
  _, serialized = reader.read(filename_queue)
  batch = tf.train.batch([serialized], 4, allow_smaller_final_batch=True)
  return tf.parse_example(batch, {
      'name': tf.FixedLenFeature([], tf.string),
      'tags': tf.VarLenFeature(tf.int64),
      'weight': tf.FixedLenFeature([1], tf.float32, default_value=[-1.0]),
  })


if __name__ == '__main__':
  write_people()
  features = inputs()
  tag_sums = tf.sparse_reduce_sum(features['tags'], axis=1)
  init = tf.local_variables_initializer()
  with tf.Session() as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    with coord.stop_on_exception():
      threads = tf.train.start_queue_runners(sess, coord)
      while True:
        values, sums = sess.run([features, tag_sums])
        print(values['name'].tolist(), values['weight'].ravel().tolist(), sums.tolist())
        print(values['tags'].values.tolist())
    coord.join(threads)
  print('stopped:', coord.should_stop())
