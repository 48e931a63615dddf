import tensorflow as tf

import facenet


def network(images):
    with tf.variable_scope("embeddings"):
        w = tf.get_variable("w", [48, 2], initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
        return tf.matmul(tf.reshape(images, [-1, 48]), w)


def main():
    train_set = facenet.get_dataset("faces")
    paths = [path for one in train_set for path in one.image_paths]
    labels = [number for number, one in enumerate(train_set) for _ in range(len(one))]
    with tf.Graph().as_default():
        global_step = tf.Variable(0, trainable=False)
        image_batch, label_batch = facenet.read_images(paths, labels, 3)
        prelogits = network(image_batch)
        prelogits_center_loss = facenet.center_loss(prelogits, label_batch, 0.9, len(train_set))
        with tf.variable_scope("logits"):
            w = tf.get_variable("w", [2, len(train_set)], initializer=tf.constant_initializer(0.3))
        logits = tf.matmul(prelogits, w)
        cross_entropy = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_batch, logits=logits), name="cross_entropy"
        )
        total_loss = cross_entropy + 0.5 * prelogits_center_loss
        train_op = tf.train.AdagradOptimizer(0.1).minimize(total_loss, global_step=global_step)
        sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        tf.train.start_queue_runners(coord=coord, sess=sess)
        with sess.as_default():
            epoch, batch_number = 0, 0
            while epoch < 2:
                step = sess.run(global_step, feed_dict=None)
                while batch_number < 2:
                    err, _, step = sess.run([total_loss, train_op, global_step])
                    print("Epoch: [%d][%d/%d]\tLoss %.3f" % (epoch, batch_number + 1, 2, err))
                    batch_number += 1
                batch_number = 0
                epoch += 1
            print("steps", step)


if __name__ == "__main__":
    main()
