import tensorflow as tf

mean_pixel = [123.0, 117.0, 104.0]


def preprocess(image, size):
    image = tf.to_float(image[:size, :size])
    image.set_shape([size, size, 3])
    return image - mean_pixel


def image(n, size, pattern, epochs=1):
    filenames = sorted(tf.gfile.Glob(pattern))
    png = filenames[0].lower().endswith("png")
    filename_queue = tf.train.string_input_producer(filenames, shuffle=False, num_epochs=epochs)
    reader = tf.WholeFileReader()
    _, img_bytes = reader.read(filename_queue)
    decoded = tf.image.decode_png(img_bytes, channels=3) if png else tf.image.decode_jpeg(img_bytes, channels=3)
    processed = preprocess(decoded, size)
    return tf.train.batch([processed], n, dynamic_pad=True)
