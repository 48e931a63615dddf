"""The texts of sonnet's examples: windows of arrays by a range of indices, and what Python code puts into a queue."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from sonnet.examples import dataset_shakespeare, ptb_reader

with tf.Graph().as_default():
    words, following = ptb_reader.ptb_producer(list(range(60)), 3, 4)
    supervisor = tf.train.Supervisor(logdir=tempfile.mkdtemp())
    with supervisor.managed_session() as session:
        for first in (0, 4, 8, 12, 0, 4):
            read, after = session.run([words, following])
            assert read.tolist() == [[start + first + step for step in range(4)] for start in (0, 20, 40)], read
            assert (read + 1 == after).all()

folder = tempfile.mkdtemp()
for name in ("train", "valid", "test"):
    with open(os.path.join(folder, f"ts.{name}.txt"), "w") as file:
        file.write("abcdefgh " * 40)
dataset_shakespeare.TinyShakespeareDataset._RESOURCE_ROOT = folder
with tf.Graph().as_default():
    read, following = dataset_shakespeare.TinyShakespeareDataset(num_steps=4, batch_size=2)()
    with tf.train.SingularMonitoredSession() as session:
        steps = [session.run([read, following]) for _ in range(6)]
last = None
for step in steps:
    letters, after = (np.argmax(one, axis=-1) for one in step)
    assert letters.shape == (4, 2) and (letters[1:] == after[:-1]).all()
    assert last is None or (letters[0] == last).all()
    last = after[-1]
