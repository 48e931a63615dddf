"""Between-graph replication as it was written in 2017: one task of a cluster, on TensorFlow 1 or on queuecompat.

    program.py NAMESPACE JOB TASK PORTS FOLDER WAY

PORTS: of the parameter server and of each worker. FOLDER: of checkpoints, and where tasks wait for each other.
WAY: ``monitored``, ``outside`` (the same, the input not below the device setter), ``synchronous``, ``supervisor``
or ``parameter`` (the input reads a variable of the parameter server).

A worker ends with a line of JSON: the numbers that it was given, and whether every loss was finite.
"""

import importlib
import json
import math
import os
import sys
import time
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
tf = importlib.import_module(sys.argv[1])
JOB, TASK, PORTS, FOLDER, WAY = sys.argv[2], int(sys.argv[3]), sys.argv[4].split(","), sys.argv[5], sys.argv[6]
WORKERS = len(PORTS) - 1
ROWS = 8


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    places = ["localhost:" + port for port in PORTS]
    cluster = tf.train.ClusterSpec({"ps": places[:1], "worker": places[1:]})
    server = tf.train.Server(cluster, job_name=JOB, task_index=TASK)
    if JOB == "ps":
        server.join()
    setter = tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{TASK}")
    if WAY == "outside":
        examples, numbers = inputs()
    with tf.device(setter):
        if WAY != "outside":
            examples, numbers = inputs()
        train, loss, optimizer = model(examples)
    given, losses = [], []

    def step(session):
        _, value, rows = session.run([train, loss, numbers])
        given.extend(rows.tolist())
        losses.append(float(value))

    run = with_a_supervisor if WAY == "supervisor" else with_a_monitored_session
    run(server.target, step, optimizer)
    print(json.dumps({"given": given, "finite": all(map(math.isfinite, losses)), "losses": len(losses)}))


def inputs():
    """Batches of 2: examples, and their numbers below ROWS, each once."""
    number = tf.train.range_input_producer(ROWS, num_epochs=1, shuffle=False).dequeue()
    example = tf.cast(number, tf.float32)
    if WAY == "parameter":
        example += tf.get_variable("mean", [], initializer=tf.constant_initializer(0.5), trainable=False)
    return tf.train.batch([example, number], 2, num_threads=1)


def model(examples):
    weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(1.0))
    loss = tf.reduce_mean(tf.square(examples * 0.01 - weight))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    if WAY == "synchronous":
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=2, total_num_replicas=WORKERS)
    return optimizer.minimize(loss, global_step=step), loss, optimizer


def with_a_monitored_session(target, step, optimizer):
    hooks = []
    if WAY == "synchronous":
        # Tokens for all steps: when one worker is done, the other need not wait for it.
        hooks.append(optimizer.make_session_run_hook(TASK == 0, num_tokens=4 * ROWS))
    with tf.train.MonitoredTrainingSession(
        master=target, is_chief=TASK == 0, checkpoint_dir=FOLDER, hooks=hooks, stop_grace_period_secs=1
    ) as session:
        wait_for_all("ready")
        to_the_end(session, step)


def with_a_supervisor(target, step, optimizer):
    supervisor = tf.train.Supervisor(is_chief=TASK == 0, logdir=FOLDER, stop_grace_secs=1)
    with supervisor.managed_session(target) as session:
        wait_for_all("ready")
        to_the_end(session, step)


def to_the_end(session, step):
    try:
        while not session.should_stop() if hasattr(session, "should_stop") else True:
            step(session)
    except tf.errors.OutOfRangeError:
        pass
    # A chief that leaves takes the token queue and the checkpoints with it.
    wait_for_all("done")


def wait_for_all(what):
    """Returns when every worker has come here."""
    open(os.path.join(FOLDER, f"{what}-{TASK}"), "w").close()
    while not all(os.path.exists(os.path.join(FOLDER, f"{what}-{task}")) for task in range(WORKERS)):
        time.sleep(0.05)


if __name__ == "__main__":
    main()
