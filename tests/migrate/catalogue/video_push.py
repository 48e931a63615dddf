# call: build_tfrecord_input(training=False)
# order: fixed
import tensorflow as tf

FILES = "captions-*"
SEQUENCE_LENGTH = 2


def build_tfrecord_input(training=True, batch_size=2, train_val_split=0.5):
    filenames = sorted(tf.gfile.Glob(FILES)) * 2
    index = int(train_val_split * len(filenames))
    filenames = filenames[:index] if training else filenames[index:]
    queue = tf.train.string_input_producer(filenames, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    _, steps = tf.parse_single_sequence_example(
        serialized, sequence_features={"rgb": tf.FixedLenSequenceFeature([], tf.string)}
    )
    image_seq, state_seq = [], []
    for i in range(SEQUENCE_LENGTH):
        image = tf.reshape(tf.decode_raw(steps["rgb"][i], tf.uint8), [1, 2, 2])
        image_seq.append(tf.cast(image, tf.float32) / 256.0)
        state_seq.append(tf.fill([1, 1], i))
    image_seq = tf.concat(image_seq, 0)
    state_seq = tf.concat(state_seq, 0)
    images, states = tf.train.batch([image_seq, state_seq], batch_size, num_threads=1, capacity=100 * batch_size)
    return images, states, tf.zeros_like(states)
