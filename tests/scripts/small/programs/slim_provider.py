"""A slim Dataset and its provider, read in order."""
import tensorflow as tf

slim = tf.contrib.slim


def dataset():
  keys_to_features = {
      'image_raw': tf.FixedLenFeature((), tf.string, default_value=''),
      'label': tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], tf.int64)),
  }

  class Bytes(slim.tfexample_decoder.ItemHandler):
    def tensors_to_item(self, keys_to_tensors):
      return tf.reshape(tf.decode_raw(keys_to_tensors['image_raw'], tf.uint8), [28, 28, 1])

  decoder = slim.tfexample_decoder.TFExampleDecoder(
      keys_to_features, {'image': Bytes('image_raw'), 'label': slim.tfexample_decoder.Tensor('label')})
  return slim.dataset.Dataset(
      data_sources='data/digits/validation*.tfrecords', reader=tf.TFRecordReader, decoder=decoder, num_samples=70,
      items_to_descriptions={'image': 'digits', 'label': 'a number'})


def inputs():
  provider = slim.dataset_data_provider.DatasetDataProvider(
      dataset(), num_readers=1, shuffle=False, num_epochs=1, common_queue_capacity=40, common_queue_min=20)
  image, label = provider.get(['image', 'label'])
  return tf.train.batch([image[10:14, 10:14], label], 16, num_threads=1, capacity=80, allow_smaller_final_batch=True)


if __name__ == '__main__':
  provider = slim.dataset_data_provider.DatasetDataProvider(dataset(), shuffle=False, num_epochs=1)
  print(sorted(provider.list_items()), provider.num_samples())
  tf.reset_default_graph()
  images, labels = inputs()
  sums = tf.reduce_sum(tf.cast(images, tf.int64), axis=[1, 2, 3])
  with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    with slim.queues.QueueRunners(sess):
      try:
        while True:
          s, l = sess.run([sums, labels])
          print(l.tolist(), int(s.sum()))
      except tf.errors.OutOfRangeError:
        print('all of them')
