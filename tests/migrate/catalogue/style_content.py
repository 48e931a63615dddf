# call: image(2, 4, 'pic_*.png', epochs=2, shuffle=False)
# order: fixed
import tensorflow as tf

MEAN_PIXEL = [123.0, 117.0, 104.0]


def preprocess(image, size):
    height, width = tf.shape(image)[0], tf.shape(image)[1]
    shorter = tf.minimum(height, width)
    image = tf.to_float(image[:shorter, :shorter])
    image.set_shape([size, size, 3])
    return image - tf.constant(MEAN_PIXEL)


def image(n, size, pattern, epochs=2, shuffle=True, crop=True):
    names = sorted(tf.gfile.Glob(pattern))
    png = names[0].lower().endswith("png")
    producer = tf.train.string_input_producer(names, shuffle=shuffle, num_epochs=epochs)
    reader = tf.WholeFileReader()
    _, content = reader.read(producer)
    decoded = tf.image.decode_png(content, channels=3) if png else tf.image.decode_jpeg(content, channels=3)
    processed = preprocess(decoded, size)
    if not shuffle:
        return tf.train.batch([processed], n, dynamic_pad=True)
    return tf.train.shuffle_batch([processed], n, capacity=100, min_after_dequeue=10)
