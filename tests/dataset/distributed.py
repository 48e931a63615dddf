"""A dataset among devices, and among processes. Run by ``test_distributed.py``: ``python distributed.py NAME``."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Callable, Dict, List

import numpy as np
import tensorflow as tf

import queuecompat
from queuecompat import train

tf1 = tf.compat.v1


def input_fn() -> Any:
    """60 numbers and their squares, from a table, a large array and a variable, in batches of 4."""
    words = tf.lookup.KeyValueTensorInitializer(tf.range(60), tf.range(60) ** 2)
    squares = tf.lookup.StaticHashTable(words, -1)
    nothing = tf1.get_variable("nothing", initializer=0)
    table = np.repeat(np.arange(60, dtype=np.int32)[:, None], 10_000, axis=1)
    (row,) = train.slice_input_producer([table], num_epochs=1)
    return train.shuffle_batch([row[-1], squares.lookup(row[0]) + nothing], 4, capacity=20, min_after_dequeue=8)


def shared() -> Any:
    """60 numbers through two readers of one queue, with seeds."""
    queue = train.range_input_producer(60, num_epochs=1, seed=1)
    return train.batch_join([[number, number**2] for number in (queue.dequeue(), queue.dequeue())], 4)


def check(batches: List[Any], times: int = 1) -> None:
    numbers = np.concatenate([np.ravel(batch[0]) for batch in batches])
    assert sorted(numbers.tolist()) == sorted([*range(60)] * times), sorted(numbers.tolist())
    for drawn, squared in batches:
        np.testing.assert_array_equal(np.square(drawn), squared)


def among_devices() -> None:
    cpus = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert strategy.num_replicas_in_sync == 2
    for function in (input_fn, shared):
        dataset = strategy.experimental_distribute_dataset(queuecompat.as_dataset(function, strict=True))

        results = [strategy.run(lambda *parts: parts, args=batch) for batch in dataset]
        parts = [[strategy.experimental_local_results(part) for part in result] for result in results]
        assert all(len(numbers) == 2 and numbers[0].shape == [2] for numbers, _ in parts)
        check([(np.concatenate(numbers), np.concatenate(squares)) for numbers, squares in parts])
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    scaled = queuecompat.as_dataset(input_fn).map(lambda x, y: (tf.reshape(x, [-1, 1]) / 60, y / 3600))
    history = model.fit(scaled, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


_WORKER = """
import sys
import tensorflow as tf
config = tf.data.experimental.service.WorkerConfig(dispatcher_address=sys.argv[1], heartbeat_interval_ms=100)
worker = tf.data.experimental.service.WorkerServer(config)
print("ready", flush=True)
sys.stdin.read()
"""
_DISPATCHER = """
import sys
import tensorflow as tf
dispatcher = tf.data.experimental.service.DispatchServer()
print(dispatcher.target.partition("://")[2], flush=True)
sys.stdin.read()
"""


def server(code: str, *arguments: str) -> subprocess.Popen:
    """A process that serves until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process


def among_processes() -> None:
    dispatcher = server(_DISPATCHER)
    assert dispatcher.stdout is not None
    address = dispatcher.stdout.readline().strip()
    workers = [server(_WORKER, address) for _ in range(2)]
    try:
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        service = tf.data.experimental.service
        for function in (input_fn, shared):
            dataset = queuecompat.as_dataset(function, strict=True)
            whole = dataset.apply(service.distribute(service.ShardingPolicy.OFF, f"grpc://{address}"))
            # Without sharding each worker gives the whole dataset.
            check(list(whole.as_numpy_iterator()), times=2)
    finally:
        for process in [*workers, dispatcher]:
            process.communicate()


def with_a_variable() -> Any:
    """60 numbers. In the scope of a strategy the variable used to be one of the strategy's, which was an error."""
    nothing = tf1.get_variable("nothing", initializer=0)
    return train.batch([train.range_input_producer(60, num_epochs=1).dequeue() + nothing], 2)


def of_a_worker(number: str, *addresses: str) -> None:
    """The worker of that *number* prints what it reads, in each way to choose its part."""
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": addresses}), task_type="worker", task_id=int(number), rpc_layer="grpc"
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    found: Dict[str, List[int]] = {}

    def read(way: str, **options: Any) -> tf.data.Dataset:
        dataset = queuecompat.as_dataset(with_a_variable, strict=True, **options)
        found[way] = sorted(int(one) for batch in dataset for one in batch)
        return dataset

    with strategy.scope():
        read("in the scope", shard="auto")
        strategy.distribute_datasets_from_function(lambda _: read("of the strategy", shard="auto"))
    strategy.distribute_datasets_from_function(
        lambda context: read("of the context", shard=(context.input_pipeline_id, context.num_input_pipelines))
    )
    print(json.dumps(found))


PROGRAMS: Dict[str, Callable[..., None]] = {
    "among_devices": among_devices,
    "among_processes": among_processes,
    "of_a_worker": of_a_worker,
}


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
