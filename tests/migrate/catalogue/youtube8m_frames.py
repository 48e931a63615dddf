# call: inputs(FrameReader(), ['captions-00000-of-00001'], 2)
# order: fixed
import tensorflow as tf


def to_length(rows, length):
    """Cut, or filled up with zeros."""
    rows = rows[:length]
    missing = length - tf.shape(rows)[0]
    rows = tf.pad(rows, [[0, missing], [0, 0]])
    rows.set_shape([length, rows.get_shape().as_list()[1]])
    return rows


class FrameReader(object):
    max_frames = 3

    def matrix_of(self, frames, size):
        rows = tf.reshape(tf.to_float(tf.decode_raw(frames, tf.uint8)), [-1, size])
        used = tf.minimum(tf.shape(rows)[0], self.max_frames)
        return to_length(rows / 2.0, self.max_frames), used

    def prepare_reader(self, queue):
        _, record = tf.TFRecordReader().read(queue)
        video, frames = tf.parse_single_sequence_example(
            record,
            context_features={"video_id": tf.FixedLenFeature([], tf.string), "labels": tf.VarLenFeature(tf.int64)},
            sequence_features={"rgb": tf.FixedLenSequenceFeature([], dtype=tf.string)},
        )
        labels = tf.sparse_to_dense(video["labels"].values, (4,), 1, validate_indices=False)
        matrix, used = self.matrix_of(frames["rgb"], 4)
        return video["video_id"], matrix, labels, used


def inputs(reader, files, batch_size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    video_id, matrix, labels, num_frames = reader.prepare_reader(queue)
    return tf.train.batch([video_id, matrix, labels, num_frames], batch_size, capacity=8)
