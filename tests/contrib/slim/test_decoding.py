"""``slim.tfexample_decoder`` behind compiled queues; what it decodes is settled by the gold cases."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest
import tensorflow
from tensorflow.python.platform import tf_logging
from tensorflow.python.util import deprecation

import queuecompat.v1 as tf
from tests.contrib.slim.test_prefetch_queue import assert_all_compiled
from tests.pipelines.running import drain, write_records

decoding = tf.contrib.slim.tfexample_decoder

PICTURES = (np.arange(6 * 4 * 5 * 3) * 37 % 251).astype(np.uint8).reshape(6, 4, 5, 3)


@pytest.fixture(params=["v1", "v2"])
def control_flow(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "v2":
        tensorflow.compat.v1.enable_control_flow_v2()
    yield
    tensorflow.compat.v1.disable_control_flow_v2()


def write_pictures(path: Any) -> str:
    """Every second one is raw, the others are PNGs; boxes and classes differ in number."""
    with tf.Graph().as_default(), tf.Session() as sess:
        pngs = [sess.run(tf.image.encode_png(picture)) for picture in PICTURES]
    records = []
    for number, (png, picture) in enumerate(zip(pngs, PICTURES)):
        data, kind = (picture.tobytes(), b"raw") if number % 2 else (png, b"png")
        example = tf.train.Example()
        feature = example.features.feature
        feature["image/encoded"].bytes_list.value.append(data)
        feature["image/format"].bytes_list.value.append(kind)
        for side in ("ymin", "xmin", "ymax", "xmax"):
            feature[side].float_list.value.extend([number] * number)
        if number % 3:
            feature["text"].bytes_list.value.append(b"b")
        records.append(example.SerializeToString())
    return write_records(path, records)


def decoder() -> Any:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([10, 20], tf.int64)), -1
    )
    features = {
        "image/encoded": tf.FixedLenFeature([], tf.string),
        "image/format": tf.FixedLenFeature([], tf.string),
        "text": tf.VarLenFeature(tf.string),
        **{side: tf.VarLenFeature(tf.float32) for side in ("ymin", "xmin", "ymax", "xmax")},
    }
    none = decoding.ItemHandlerCallback([], lambda _: tf.constant([0], tf.int64))
    handlers = {
        "image": decoding.Image(shape=[4, 5, 3]),
        "boxes": decoding.BoundingBox(),
        "class": decoding.BackupHandler(decoding.LookupTensor("text", table), none),
    }
    return decoding.TFExampleDecoder(features, handlers)


def test_images_boxes_and_looked_up_classes_are_decoded_in_a_compiled_pipeline(
    tmp_path: Any, control_flow: None
) -> None:
    slim = tf.contrib.slim
    dataset = slim.dataset.Dataset(write_pictures(tmp_path / "a"), tf.TFRecordReader, decoder(), 6, {})
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False, num_epochs=1)
    image, boxes, kind = provider.get(["image", "boxes", "class"])
    batch = tf.train.batch([image, boxes, tf.reshape(kind, [1])], 3, dynamic_pad=True)
    queue = slim.prefetch_queue.prefetch_queue(batch, dynamic_pad=True)
    element = queue.dequeue()
    assert_all_compiled()
    images, boxes, kinds = zip(*drain(element))
    assert (np.concatenate(images) == PICTURES).all()
    assert [b.shape for b in boxes] == [(3, 2, 4), (3, 5, 4)]
    assert [row[: n % 3 + 1].tolist() for n, row in enumerate(np.concatenate(kinds))] == [[0], [20], [20]] * 2


def test_a_repeated_image_logs_no_advice_of_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    # "calling map_fn with dtype is deprecated" came of a line that no user wrote.
    told = []
    monkeypatch.setattr(deprecation, "_PRINTED_WARNING", {})
    monkeypatch.setattr(tf_logging, "warning", lambda *arguments: told.append(arguments))
    images = decoding.Image("images", "kind", repeated=True)
    with tf.Graph().as_default():
        images.tensors_to_item({"images": tf.constant([b""]), "kind": tf.constant(b"png")})
    assert told == []
