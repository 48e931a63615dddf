import tensorflow as tf


class BaseModel(object):
    def create_model(self, unused_model_input, **unused_params):
        raise NotImplementedError()


class LogisticModel(BaseModel):
    def create_model(self, model_input, vocab_size, l2_penalty=1e-2, **unused_params):
        w = tf.get_variable("w", [model_input.shape[1], vocab_size], initializer=tf.constant_initializer(0.1))
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, l2_penalty * tf.nn.l2_loss(w))
        return {"predictions": tf.nn.sigmoid(tf.matmul(model_input, w))}


def cross_entropy(predictions, labels, epsilon=1e-5):
    one = labels * tf.log(predictions + epsilon) + (1 - labels) * tf.log(1 - predictions + epsilon)
    return tf.reduce_mean(tf.reduce_sum(-one, 1))
