# call: get_batch('train-*', 2)
# order: fixed
import tensorflow as tf

slim = tf.contrib.slim


def get_split(pattern):
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/class/label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    items_to_handlers = {
        "image": slim.tfexample_decoder.Image(shape=[4, 6, 3], channels=3),
        "label": slim.tfexample_decoder.Tensor("image/class/label"),
    }
    decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
    return slim.dataset.Dataset(
        data_sources=pattern,
        reader=tf.TFRecordReader,
        decoder=decoder,
        num_samples=8,
        items_to_descriptions={"image": "pixels", "label": "a class"},
        num_classes=3,
    )


def get_batch(pattern, batch_size):
    dataset = get_split(pattern)
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=1, shuffle=False)
    image, label = provider.get(["image", "label"])
    image = tf.to_float(image) / 256.0
    images, labels = tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=5 * batch_size)
    return images, tf.one_hot(labels, dataset.num_classes)
