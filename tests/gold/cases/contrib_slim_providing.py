"""tf.contrib.slim's Dataset, DataProvider and DatasetDataProvider."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .harness import Result, collect, error_at_call, gold, temporary_directory, without_directories, word, words
from .records import IMAGE_SHAPE, write_images

__all__: List[str] = []


def _dataset(tf: Any, files: Any, **more: Any) -> Any:
    slim = tf.contrib.slim
    features = {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    decoding = slim.tfexample_decoder
    handlers = {
        "image": decoding.ItemHandlerCallback(
            "image", lambda given: tf.reshape(tf.decode_raw(given["image"], tf.uint8), IMAGE_SHAPE)
        ),
        "label": decoding.Tensor("label"),
    }
    decoder = decoding.TFExampleDecoder(features, handlers)
    return slim.dataset.Dataset(files, tf.TFRecordReader, decoder, 11, {"label": "a number"}, **more)


def _provider(tf: Any, files: Any, **arguments: Any) -> Any:
    return tf.contrib.slim.dataset_data_provider.DatasetDataProvider(_dataset(tf, files), **arguments)


# -- Dataset, DataProvider --------------------------------------------------------------------


@gold
def a_dataset_is_its_attributes(tf: Any) -> Result:
    dataset = tf.contrib.slim.dataset.Dataset(["f"], "reader", "decoder", 3, {"a": "b"}, num_classes=10)
    names = sorted(vars(dataset))
    return {"names": words(names), "values": words([str(getattr(dataset, name)) for name in names])}


@gold
def a_provider_gives_the_items_that_are_asked_for(tf: Any) -> Result:
    provider = tf.contrib.slim.data_provider.DataProvider({"a": 1, "b": 2}, 7)
    return {
        "items": words(sorted(provider.list_items())),
        "num_samples": np.array(provider.num_samples()),
        "given": np.array(provider.get(["b", "a", "b"])),
        "of_a_tuple": np.array(provider.get(("b",))),
        "kind": word(type(provider.get([])).__name__),
    }


@gold
def providers_refuse_what_tf1_refuses(tf: Any) -> Result:
    provider = tf.contrib.slim.data_provider.DataProvider({"a": 1}, 7)
    calls: Dict[str, Any] = {
        "a_text": lambda: provider.get("a"),
        "a_set": lambda: provider.get({"a"}),
        "nothing": lambda: provider.get(None),
        "an_unknown_item": lambda: provider.get(["a", "y"]),
        "an_item_that_is_a_list": lambda: provider.get([["a"]]),
        "record_key": lambda: _provider(tf, ["f"], record_key="label"),
        "no_files": lambda: _provider(tf, []),
        "no_readers": lambda: _provider(tf, ["f"], num_readers=0),
        "no_epochs": lambda: _provider(tf, ["f"], num_epochs=0),
        "no_capacity": lambda: _provider(tf, ["f"], common_queue_capacity=0),
        "no_dataset": lambda: tf.contrib.slim.dataset_data_provider.DatasetDataProvider(None),
        "the_key_of_another_name": lambda: _provider(tf, ["f"], record_key="key").get(["record_key"]),
        "positional": lambda: tf.contrib.slim.dataset_data_provider.DatasetDataProvider(
            _dataset(tf, ["f"]), 2, None, True, None, 9, 3, "key", 1, "mine"
        ),
        "no_decoder": lambda: tf.contrib.slim.dataset.Dataset(["f"], None),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


# -- DatasetDataProvider ----------------------------------------------------------------------


@gold
def a_dataset_is_provided_in_order(tf: Any) -> Result:
    with temporary_directory() as directory:
        files = write_images(tf, directory, [4, 2, 5])

        def build() -> Any:
            provider = _provider(tf, files, shuffle=False, num_epochs=2)
            return provider.get(["image", "label", "record_key"])

        result = collect(tf, build)
        return dict(result, **{"2": without_directories(result["2"])})


@gold
def a_dataset_is_provided_in_any_order(tf: Any) -> Result:
    """Each record once an epoch, with its own key; whatever the readers, the pool and the seed."""
    result = {}
    with temporary_directory() as directory:
        files = write_images(tf, directory, [4, 2, 5])
        for name, arguments in {
            "default": {},
            "readers": {"num_readers": 3},
            "pool": {"common_queue_capacity": 4, "common_queue_min": 2, "seed": 7, "record_key": "key"},
            "readers_in_order": {"num_readers": 3, "shuffle": False},
        }.items():

            def build() -> Any:
                provider = _provider(tf, files, num_epochs=2, **arguments)  # noqa: B023
                image, label = provider.get(["image", "label"])
                (key,) = provider.get([arguments.get("record_key", "record_key")])  # noqa: B023
                return [label, tf.reduce_sum(tf.to_int32(image)), key]

            given = collect(tf, build)
            rows = sorted(zip(given["0"].tolist(), given["1"].tolist(), without_directories(given["2"]).tolist()))
            result[name] = np.array([row[:2] for row in rows])
            result[name + ".keys"] = np.array([row[2] for row in rows])
            result[name + ".steps"] = given["steps"]
            result[name + ".ending"] = given["ending"]
            result[name + ".static"] = given["2.static"]
    return result


@gold
def a_provider_describes_its_dataset(tf: Any) -> Result:
    with tf.Graph().as_default():
        provider = _provider(tf, ["f"], scope="mine", record_key="key")
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        return {
            "items": words(sorted(provider.list_items())),
            "num_samples": np.array(provider.num_samples()),
            "summaries": words(sorted(summary.name for summary in summaries)),
            "key": words([provider.get(["key"])[0].name]),
            "is_a_provider": np.array(isinstance(provider, tf.contrib.slim.data_provider.DataProvider)),
        }


@gold
def a_dataset_is_provided_batched_and_prefetched(tf: Any) -> Result:
    """The way of every slim script, with one reader, one thread and no shuffling."""
    with temporary_directory() as directory:
        files = write_images(tf, directory, [4, 2, 5])

        def build() -> Any:
            image, label = _provider(tf, files, shuffle=False, num_epochs=1).get(["image", "label"])
            image = tf.image.convert_image_dtype(image, tf.float32)
            images, labels = tf.train.batch([image, label], 3, capacity=15)
            queue = tf.contrib.slim.prefetch_queue.prefetch_queue([images, tf.one_hot(labels, 11)], capacity=2)
            return queue.dequeue()

        return collect(tf, build)
