"""tf.data's service: an input function of TensorFlow 1, computed by two worker processes for one program or for two.

The dispatcher hands out names of files, and each file of each epoch is read by one worker. Everything is on this
machine; on several, only the addresses change.
"""

import collections
import os
import signal
import socket
import subprocess
import sys
import tempfile

import tensorflow as tf

import queuecompat

FILES, RECORDS, EPOCHS, BATCH = 12, 50, 4, 20


def write_records(folder):
    """Twelve files of fifty numbers."""
    names = [os.path.join(folder, "%02d.tfrecords" % number) for number in range(FILES)]
    for number, name in enumerate(names):
        with tf.io.TFRecordWriter(name) as writer:
            for record in range(RECORDS):
                writer.write(str(number * RECORDS + record))
    return names


def numbers(files):
    """Shuffled batches, int32 [20], of the numbers in the files."""
    queue = tf.train.string_input_producer(files, num_epochs=EPOCHS)
    _, record = tf.compat.v1.TFRecordReader().read(queue)
    return tf.train.shuffle_batch([tf.strings.to_number(record, tf.int32)], BATCH, capacity=200, min_after_dequeue=100)


def serve(*arguments):
    """``queuecompat serve`` as a process that has said that it serves."""
    command = [sys.executable, "-m", "queuecompat", "serve", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not process.stderr.readline().startswith(("dispatcher: listening", "worker: of")):
        assert process.poll() is None
    return process


def free_port():
    with socket.socket() as listener:
        listener.bind(("", 0))
        return listener.getsockname()[1]


def count(batches):
    return collections.Counter(number for batch in batches for number in batch.tolist())


def main():
    files = write_records(tempfile.mkdtemp())
    port = str(free_port())
    processes = [serve("--dispatcher", "--port", port)]
    processes += [serve("--worker", "--dispatcher-address", "localhost:" + port, "--port", "0") for _ in range(2)]
    address = "grpc://localhost:" + port
    try:
        seen = count(queuecompat.as_dataset(numbers, files, data_service=address).as_numpy_iterator())
        assert seen == dict.fromkeys(range(FILES * RECORDS), EPOCHS)
        print("one program: %d numbers, each %d times" % (len(seen), EPOCHS))
        # Two that name one job share its elements. Programs would be two processes; here they take turns.
        shared = [
            queuecompat.as_dataset(numbers, files, data_service=address, data_service_job="shared") for _ in range(2)
        ]
        both = zip(*(dataset.repeat(1).as_numpy_iterator() for dataset in shared))
        seen = count(batch for pair in both for batch in pair)
        print("two programs: %d numbers, none more than %d times" % (len(seen), max(seen.values())))
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            assert process.wait() == 0


if __name__ == "__main__":
    main()
