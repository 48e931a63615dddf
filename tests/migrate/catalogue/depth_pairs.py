# call: DepthInput(2).csv_inputs('pairs.txt')
# order: fixed
import tensorflow as tf


class DepthInput:
    def __init__(self, batch_size):
        self.batch_size = batch_size

    def csv_inputs(self, csv_file_path):
        filename_queue = tf.train.string_input_producer([csv_file_path], shuffle=False)
        reader = tf.TextLineReader()
        _, serialized_example = reader.read(filename_queue)
        filename, depth_filename = tf.decode_csv(serialized_example, [["path"], ["annotation"]], field_delim=" ")
        image = tf.image.decode_png(tf.read_file(filename), channels=3)
        image = tf.cast(image, tf.float32)
        depth = tf.image.decode_png(tf.read_file(depth_filename), channels=1)
        depth = tf.cast(depth, tf.float32) / 255.0
        image = tf.image.resize_nearest_neighbor(tf.expand_dims(image, 0), (2, 3))[0]
        depth = tf.image.resize_nearest_neighbor(tf.expand_dims(depth, 0), (2, 2))[0]
        invalid = tf.sign(depth)
        image.set_shape([2, 3, 3])
        depth.set_shape([2, 2, 1])
        invalid.set_shape([2, 2, 1])
        images, depths, invalids = tf.train.batch(
            [image, depth, invalid], batch_size=self.batch_size, num_threads=1, capacity=50 + 3 * self.batch_size
        )
        return images, depths, invalids
