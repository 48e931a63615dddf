"""A network that moves pictures towards the colours of one of them."""

import tensorflow as tf

import reader

STYLE_WEIGHT, CONTENT_WEIGHT = 2.0, 1.0


def gram(layer):
    shape = tf.shape(layer)
    filters = tf.reshape(layer, [shape[0], -1, shape[3]])
    return tf.matmul(filters, filters, transpose_a=True) / tf.to_float(shape[1] * shape[2] * shape[3])


def transform(images):
    with tf.variable_scope("transform"):
        kernel = tf.get_variable("kernel", [1, 1, 3, 3], initializer=tf.orthogonal_initializer(seed=2))
        return tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME")


def main(argv=None):
    style = tf.constant(1.0, shape=[1, 3, 3]) * 50.0
    images = reader.image(2, 4, "pic_*.png", epochs=2) / 127.5
    generated = transform(images)
    content_loss = tf.nn.l2_loss(generated - images) / tf.to_float(tf.size(images))
    style_loss = tf.nn.l2_loss(gram(generated) - style) / tf.to_float(tf.size(style))
    loss = CONTENT_WEIGHT * content_loss + STYLE_WEIGHT * style_loss
    global_step = tf.Variable(0, name="global_step", trainable=False)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                _, loss_t, step = sess.run([train_op, loss, global_step])
                print(step, "%.2f" % loss_t)
        except tf.errors.OutOfRangeError:
            print("Done training -- epoch limit reached")
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
