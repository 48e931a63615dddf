"""A server, and a program that runs its pipeline there: ``remote.py server|client PORT``."""

import json
import os
import sys

import queuecompat.v1 as tf

TASK, ADDRESS = sys.argv[1], "localhost:" + sys.argv[2]


def serve():
    tf.train.Server({"worker": [ADDRESS]}, job_name="worker", task_index=0).join()


def read():
    path = os.path.abspath("records")  # the server runs in a folder of its own
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(20):
            writer.write(b"%d" % number)
    names = tf.train.string_input_producer([path], num_epochs=2, shuffle=False)
    batch = tf.train.batch([tf.string_to_number(tf.TFRecordReader().read(names)[1])], 5)
    given = []
    with tf.Session("grpc://" + ADDRESS) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True:
                given += session.run(batch).tolist()
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads)
    print(json.dumps([int(number) for number in given]))


{"server": serve, "client": read}[TASK]()
