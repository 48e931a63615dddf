"""tf.data's service: an input function of TensorFlow 1, run in two worker processes that feed a third, which trains.

The dispatcher hands out what the pipeline begins with, its epochs, and each of them is read by one worker; or, without
sharding, each worker reads all. Everything is on this machine; on several, only the addresses change.
"""

import collections
import os
import subprocess
import sys
import tempfile

import tensorflow as tf

import queuecompat

FILES, RECORDS, EPOCHS, BATCH = 12, 50, 4, 20
service = tf.data.experimental.service


def write_records(folder):
    """Twelve files of fifty numbers."""
    names = [os.path.join(folder, "%02d.tfrecords" % number) for number in range(FILES)]
    for number, name in enumerate(names):
        with tf.io.TFRecordWriter(name) as writer:
            for record in range(RECORDS):
                writer.write(str(number * RECORDS + record))
    return names


@queuecompat.input_pipeline
def numbers(files):
    """Shuffled batches, int32 [20], of the numbers in the files."""
    queue = tf.train.string_input_producer(files, num_epochs=EPOCHS)
    _, record = tf.compat.v1.TFRecordReader().read(queue)
    return tf.train.shuffle_batch([tf.strings.to_number(record, tf.int32)], BATCH, capacity=200, min_after_dequeue=100)


DISPATCHER = """
import sys, tensorflow as tf
dispatcher = tf.data.experimental.service.DispatchServer()
print(dispatcher.target, flush=True)
sys.stdin.read()
"""
WORKER = """
import sys, tensorflow as tf
config = tf.data.experimental.service.WorkerConfig(dispatcher_address=sys.argv[1].partition("://")[2])
worker = tf.data.experimental.service.WorkerServer(config)
print("ready", flush=True)
sys.stdin.read()
"""


def server(code, *arguments):
    """A process that says a line when it is ready, and serves until its input is closed."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdin=pipe, stdout=pipe, text=True)


def main():
    files = write_records(tempfile.mkdtemp())
    dispatcher = server(DISPATCHER)
    address = dispatcher.stdout.readline().strip()
    workers = [server(WORKER, address) for _ in range(2)]
    try:
        assert [worker.stdout.readline() for worker in workers] == ["ready\n"] * 2
        # DYNAMIC: an epoch comes from one worker. OFF: each worker gives all of them, shuffled in its own way.
        for policy, times in ((service.ShardingPolicy.DYNAMIC, EPOCHS), (service.ShardingPolicy.OFF, 2 * EPOCHS)):
            dataset = numbers(files).apply(service.distribute(policy, address))
            seen = collections.Counter(number for batch in dataset.as_numpy_iterator() for number in batch.tolist())
            assert seen == dict.fromkeys(range(FILES * RECORDS), times)
            print("%s: %d numbers, each %d times" % (policy.name, len(seen), times))
    finally:
        for process in [*workers, dispatcher]:
            process.communicate()


if __name__ == "__main__":
    main()
