import tensorflow as tf


def inference(images, batch_size, n_classes):
    with tf.variable_scope("conv1"):
        weights = tf.get_variable("weights", [3, 3, 3, 2], initializer=tf.constant_initializer(0.05))
        biases = tf.get_variable("biases", [2], initializer=tf.constant_initializer(0.1))
        conv = tf.nn.conv2d(images, weights, strides=[1, 1, 1, 1], padding="SAME")
        conv1 = tf.nn.relu(tf.nn.bias_add(conv, biases))
    with tf.variable_scope("pooling1"):
        pool1 = tf.nn.max_pool(conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    with tf.variable_scope("softmax_linear"):
        flat = tf.reshape(pool1, shape=[batch_size, -1])
        dim = flat.get_shape()[1].value
        weights = tf.get_variable("weights", [dim, n_classes], initializer=tf.constant_initializer(0.02))
        return tf.matmul(flat, weights)


def losses(logits, labels):
    with tf.variable_scope("loss"):
        cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)
        loss = tf.reduce_mean(cross_entropy)
        tf.summary.scalar("loss", loss)
    return loss


def training(loss, learning_rate):
    with tf.name_scope("optimizer"):
        optimizer = tf.train.GradientDescentOptimizer(learning_rate=learning_rate)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits, labels):
    with tf.variable_scope("accuracy"):
        correct = tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32)
        accuracy = tf.reduce_mean(correct)
        tf.summary.scalar("accuracy", accuracy)
    return accuracy
