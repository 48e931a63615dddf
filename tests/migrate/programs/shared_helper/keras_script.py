import tensorflow as tf

from helper import mean

model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
print(mean(model(tf.constant([[1.0, 2.0], [3.0, 4.0]]))))
