"""tf.contrib.slim's tfexample_decoder: every handler, and the decoder that uses them.

PNG and BMP are lossless; a decoded JPEG is compared with decoding it directly.
"""

from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, error_at_call, error_at_run, gold, static_shape, word, words

__all__: List[str] = []


def _example(tf: Any, **features: Any) -> bytes:
    """A serialised Example; ``__`` in a name stands for a slash."""
    given = {}
    for name, values in features.items():
        values = values if isinstance(values, list) else [values]
        if isinstance(values[0], bytes):
            feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        elif isinstance(values[0], float):
            feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
        else:
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        given[name.replace("__", "/")] = feature
    return tf.train.Example(features=tf.train.Features(feature=given)).SerializeToString()


def _is_sparse(item: Any) -> bool:
    return hasattr(item, "dense_shape")


def _values(tf: Any, build: Callable[[], Any]) -> Result:
    """What *build* gives, a list of items, run once: values, types and static shapes."""
    result = {}
    with tf.Graph().as_default(), tf.Session() as session:
        items = build()
        session.run(tf.tables_initializer())
        for number, item in enumerate(items):
            parts = {"": item}
            if _is_sparse(item):
                parts = {".indices": item.indices, ".values": item.values, ".shape": item.dense_shape}
            for part, tensor in parts.items():
                value = np.asarray(session.run(tensor))
                value = value.astype(np.bytes_) if value.dtype == object else value
                result[f"{number}{part}"] = value
                result[f"{number}{part}.static"] = static_shape(tensor)
                result[f"{number}{part}.dtype"] = word(tensor.dtype.name)
    return result


def _decoded(tf: Any, features: Any, handlers: Callable[[Any], Dict[str, Any]], record: bytes, items: Any) -> Result:
    def build() -> Any:
        decoding = tf.contrib.slim.tfexample_decoder
        decoder = decoding.TFExampleDecoder(features() if callable(features) else features, handlers(decoding))
        return decoder.decode(tf.constant(record), items)

    return _values(tf, build)


# -- tensors ----------------------------------------------------------------------------------


@gold
def features_are_decoded_to_tensors(tf: Any) -> Result:
    features = {
        "label": tf.FixedLenFeature([1], tf.int64),
        "fixed": tf.FixedLenFeature([2, 3], tf.float32),
        "default": tf.FixedLenFeature([2], tf.int64, default_value=[7, 8]),
        "sparse": tf.VarLenFeature(tf.int64),
        "texts": tf.VarLenFeature(tf.string),
        "none": tf.VarLenFeature(tf.float32),
        "height": tf.FixedLenFeature([1], tf.int64),
        "size": tf.FixedLenFeature([2], tf.int64),
        "sides": tf.VarLenFeature(tf.int64),
    }
    record = _example(
        tf,
        label=3,
        fixed=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
        sparse=[1, 2, 3, 4, 5, 6],
        texts=[b"a", b"bc"],
        height=2,
        size=[3, 2],
        sides=[2, 3],
    )

    def handlers(decoding: Any) -> Dict[str, Any]:
        tensor = decoding.Tensor
        return {
            "label": tensor("label"),
            "label_scalar": tensor("label", shape=[]),
            "fixed": tensor("fixed"),
            "fixed_reshaped": tensor("fixed", shape=[3, 2]),
            "fixed_by_key": tensor("fixed", shape_keys="size"),
            "default": tensor("default"),
            "sparse": tensor("sparse"),
            "sparse_reshaped": tensor("sparse", shape=[3, -1]),
            "sparse_by_key": tensor("sparse", shape_keys="sides"),
            "sparse_by_list": tensor("sparse", shape_keys=["height", "label"]),
            "texts": tensor("texts", default_value=""),
            "none": tensor("none"),
            "none_with_default": tensor("none", default_value=-1.0),
        }

    with tf.Graph().as_default():
        items = sorted(handlers(tf.contrib.slim.tfexample_decoder))
    return dict(_decoded(tf, features, handlers, record, items), items=words(items))


@gold
def looked_up_features_are_decoded(tf: Any) -> Result:
    features = {"text": tf.FixedLenFeature([2], tf.string), "texts": tf.VarLenFeature(tf.string)}
    record = _example(tf, text=[b"b", b"?"], texts=[b"a", b"b", b"c"])

    def handlers(decoding: Any) -> Dict[str, Any]:
        table = _table(tf)
        return {
            "one": decoding.LookupTensor("text", table),
            "sparse": decoding.LookupTensor("texts", table, shape=[3, 1]),
        }

    return _decoded(tf, features, handlers, record, ["one", "sparse"])


def _table(tf: Any) -> Any:
    keys, values = tf.constant(["a", "b", "c"]), tf.constant([0, 1, 2], tf.int64)
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)


@gold
def boxes_are_decoded(tf: Any) -> Result:
    names = ("ymin", "xmin", "ymax", "xmax")
    features = {"box/" + name: tf.VarLenFeature(tf.float32) for name in names}
    features.update({name: tf.FixedLenFeature([2], tf.float32) for name in ("a", "b", "c", "d")})
    sides = {"box__" + name: [number + 0.25, number + 0.5, number + 0.75] for number, name in enumerate(names)}
    record = _example(tf, a=[1.0, 2.0], b=[3.0, 4.0], c=[5.0, 6.0], d=[7.0, 8.0], **sides)
    return _decoded(
        tf,
        features,
        lambda decoding: {
            "boxes": decoding.BoundingBox(prefix="box/"),
            "dense": decoding.BoundingBox(["a", "b", "c", "d"]),
            "turned": decoding.BoundingBox(["xmin", "ymin", "xmax", "ymax"], "box/"),
        },
        record,
        ["boxes", "dense", "turned"],
    )


@gold
def no_boxes_are_decoded(tf: Any) -> Result:
    features = {name: tf.VarLenFeature(tf.float32) for name in ("ymin", "xmin", "ymax", "xmax")}
    return _decoded(tf, features, lambda decoding: {"boxes": decoding.BoundingBox()}, _example(tf), ["boxes"])


@gold
def sparse_features_are_decoded(tf: Any) -> Result:
    features = {
        "indices": tf.VarLenFeature(tf.int64),
        "values": tf.VarLenFeature(tf.float32),
        "ids": tf.VarLenFeature(tf.int64),
        "shape": tf.FixedLenFeature([1], tf.int64),
        "sparse_shape": tf.VarLenFeature(tf.int64),
    }
    record = _example(tf, indices=[0, 2, 5], values=[0.5, 1.5, 2.5], ids=[1, 3, 4], shape=9, sparse_shape=[8])

    def handlers(decoding: Any) -> Dict[str, Any]:
        sparse = decoding.SparseTensor
        return {
            "plain": sparse(),
            "of_shape": sparse(shape=[7]),
            "of_key": sparse(shape_key="shape"),
            "of_sparse_key": sparse(shape_key="sparse_shape"),
            "other": sparse("ids", "values", shape=[6]),
            "dense": sparse(shape=[6], densify=True),
            "dense_with_default": sparse("ids", shape=[5], densify=True, default_value=-1.0),
        }

    items = ["plain", "of_shape", "of_key", "of_sparse_key", "other", "dense", "dense_with_default"]
    return _decoded(tf, features, handlers, record, items)


@gold
def callbacks_make_items(tf: Any) -> Result:
    features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.VarLenFeature(tf.int64)}
    return _decoded(
        tf,
        features,
        lambda decoding: {
            "both": decoding.ItemHandlerCallback(["a", "b"], lambda t: t["a"] + tf.reduce_sum(t["b"].values)),
            "one": decoding.ItemHandlerCallback("a", lambda t: t["a"] * 2),
            "sparse": decoding.ItemHandlerCallback(("b",), lambda t: t["b"]),
        },
        _example(tf, a=5, b=[1, 2]),
        ["both", "one", "sparse"],
    )


@gold
def backups_stand_in_for_what_is_empty(tf: Any) -> Result:
    features = {"a": tf.VarLenFeature(tf.int64), "b": tf.VarLenFeature(tf.int64)}
    result = {}
    for name, given in {"first": {"a": [1, 2], "b": [3]}, "second": {"b": [3]}, "neither": {}}.items():
        values = _decoded(
            tf,
            features,
            lambda decoding: {"item": decoding.BackupHandler(decoding.Tensor("a"), decoding.Tensor("b"))},
            _example(tf, **given),
            ["item"],
        )
        result.update({f"{name}.{key}": value for key, value in values.items()})
    return result


# -- images -----------------------------------------------------------------------------------


def _picture(height: int = 4, width: int = 5, channels: int = 3) -> np.ndarray:
    values = np.arange(height * width * channels) * 37 % 251
    return values.astype(np.uint8).reshape(height, width, channels)


def _bmp(picture: np.ndarray) -> bytes:
    """*picture* as a BMP file: rows from below, blue first, each row a multiple of four bytes."""
    height, width, channels = picture.shape
    rows = [row[:, ::-1].tobytes() for row in picture[::-1]]
    rows = [row + b"\0" * (-len(row) % 4) for row in rows]
    body = b"".join(rows)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8 * channels, 0, len(body), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + info + body


def _encoded(tf: Any) -> Dict[str, bytes]:
    """Pictures in every format that loses nothing."""
    with tf.Graph().as_default(), tf.Session() as session:
        return {
            "png": session.run(tf.image.encode_png(_picture())),
            "grey_png": session.run(tf.image.encode_png(_picture(channels=1))),
            "png_with_alpha": session.run(tf.image.encode_png(_picture(channels=4))),
            "deep_png": session.run(tf.image.encode_png(_picture().astype(np.uint16) * 255)),
            "bmp": _bmp(_picture()),
            "raw": _picture().tobytes(),
        }


def _image_features(tf: Any) -> Dict[str, Any]:
    return {
        "image/encoded": tf.FixedLenFeature([], tf.string),
        "image/format": tf.FixedLenFeature([], tf.string, default_value="jpeg"),
    }


def _images(tf: Any, cases: Dict[str, Any]) -> Result:
    """Each of *cases* is the bytes of an image, its format, and the arguments of the handler."""
    result = {}
    for name, (data, kind, arguments) in cases.items():
        values = _decoded(
            tf,
            _image_features(tf),
            lambda decoding: {"image": decoding.Image(**arguments)},  # noqa: B023
            _example(tf, image__encoded=data, image__format=kind),
            ["image"],
        )
        result.update({f"{name}.{key}": value for key, value in values.items()})
    return result


@gold
def images_are_decoded(tf: Any) -> Result:
    data = _encoded(tf)
    return _images(
        tf,
        {
            "png": (data["png"], b"png", {}),
            "png_said_to_be_a_jpeg": (data["png"], b"jpeg", {}),
            "png_of_one_channel": (data["png"], b"png", {"channels": 1}),
            "png_of_four_channels": (data["png"], b"PNG", {"channels": 4}),
            "png_of_its_own_channels": (data["png_with_alpha"], b"png", {"channels": None}),
            "png_of_a_shape": (data["png"], b"png", {"shape": [4, 5, 3]}),
            "png_reshaped": (data["png"], b"png", {"shape": [5, 4, 3]}),
            "png_as_float": (data["png"], b"png", {"dtype": tf.float32}),
            "png_as_uint16": (data["png"], b"png", {"dtype": tf.uint16}),
            "grey_png": (data["grey_png"], b"png", {}),
            "png_with_alpha": (data["png_with_alpha"], b"png", {}),
            "deep_png": (data["deep_png"], b"png", {}),
            "bmp": (data["bmp"], b"bmp", {}),
            "raw": (data["raw"], b"raw", {"shape": [4, 5, 3]}),
            "raw_in_capitals": (data["raw"], b"RAW", {"shape": [4, 5, 3]}),
            "raw_without_shape": (data["raw"], b"raw", {}),
            "raw_of_two_bytes": (data["raw"], b"raw", {"shape": [2, 5, 3], "dtype": tf.uint16}),
        },
    )


@gold
def jpegs_are_decoded_as_the_decoder_of_jpegs_does(tf: Any) -> Result:
    result = {}
    for method in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        for channels in (1, 3):
            with tf.Graph().as_default(), tf.Session() as session:
                jpeg = session.run(tf.image.encode_jpeg(_picture(24, 16), quality=90))
                decoding = tf.contrib.slim.tfexample_decoder
                handler = decoding.Image(channels=channels, dct_method=method)
                (image,) = decoding.TFExampleDecoder(_image_features(tf), {"image": handler}).decode(
                    tf.constant(_example(tf, image__encoded=jpeg)), ["image"]
                )
                direct = tf.image.decode_jpeg(jpeg, channels=channels, dct_method=method)
                given, wanted = session.run([image, direct])
            name = f"{method or 'default'}.{channels}"
            result[name] = np.array((given == wanted).all())
            result[name + ".shape"] = np.array(given.shape)
            result[name + ".static"] = static_shape(image)
    return result


@gold
def several_images_of_one_record_are_decoded(tf: Any) -> Result:
    with tf.Graph().as_default(), tf.Session() as session:
        pngs = [session.run(tf.image.encode_png(_picture() + number)) for number in range(3)]
    features = {"images": tf.FixedLenFeature([3], tf.string), "kind": tf.FixedLenFeature([], tf.string)}
    return _decoded(
        tf,
        features,
        lambda decoding: {
            "images": decoding.Image("images", "kind", repeated=True),
            "shaped": decoding.Image("images", "kind", shape=[4, 5, 3], repeated=True, dtype=tf.float32),
        },
        _example(tf, images=pngs, kind=b"png"),
        ["images", "shaped"],
    )


@gold
def what_is_no_image_is_an_invalid_argument(tf: Any) -> Result:
    def run(data: bytes, kind: bytes, **arguments: Any) -> np.ndarray:
        with tf.Graph().as_default(), tf.Session() as session:
            decoding = tf.contrib.slim.tfexample_decoder
            decoder = decoding.TFExampleDecoder(_image_features(tf), {"image": decoding.Image(**arguments)})
            record = _example(tf, image__encoded=data, image__format=kind)
            (image,) = decoder.decode(tf.constant(record), ["image"])
            return error_at_run(lambda: session.run(image))

    png = _encoded(tf)["png"]
    return {
        "no_image": run(b"nothing", b"png"),
        "empty": run(b"", b"jpeg"),
        "cut_off": run(png[: len(png) // 2], b"png"),
        "another_shape": run(png, b"png", shape=[9, 9, 3]),
        "raw_of_another_size": run(b"abc", b"raw", shape=[4, 5, 3]),
        "raw_of_half_a_number": run(b"abc", b"raw", dtype=tf.uint16),
        "bmp_of_another_depth": run(_bmp(_picture()), b"bmp", channels=1),
    }


# -- the decoder ------------------------------------------------------------------------------


@gold
def a_decoder_gives_the_items_that_are_asked_for(tf: Any) -> Result:
    features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.FixedLenFeature([], tf.int64)}
    record = _example(tf, a=1, b=2)
    handlers = lambda decoding: {"x": decoding.Tensor("a"), "y": decoding.Tensor("b")}
    result = {}
    for name, items in {"all": None, "none": [], "one": ["y"], "twice": ("y", "x", "y")}.items():
        given = _decoded(tf, features, handlers, record, items)
        result.update({f"{name}.{key}": value for key, value in given.items()})
    decoding = tf.contrib.slim.tfexample_decoder
    decoder = decoding.TFExampleDecoder(features, handlers(decoding))
    result["items"] = words(decoder.list_items())
    result["items.kind"] = word(type(decoder.list_items()).__name__)
    result["is_a_decoder"] = np.array(isinstance(decoder, tf.contrib.slim.data_decoder.DataDecoder))
    return result


@gold
def handlers_know_their_keys(tf: Any) -> Result:
    decoding = tf.contrib.slim.tfexample_decoder
    tensor = decoding.Tensor
    handlers = {
        "tensor": tensor("a"),
        "tensor_of_shape": tensor("a", shape_keys="b"),
        "tensor_of_shapes": tensor("a", shape_keys=["b", "c"]),
        "lookup": decoding.LookupTensor("a", None, shape_keys=["b"]),
        "box": decoding.BoundingBox(),
        "box_with_prefix": decoding.BoundingBox(["a", "b", "c", "d"], "p/"),
        "sparse": decoding.SparseTensor(),
        "sparse_of_shape": decoding.SparseTensor("a", "b", "c"),
        "image": decoding.Image(),
        "image_of": decoding.Image("a", "b"),
        "callback": decoding.ItemHandlerCallback("a", None),
        "callback_of_tuple": decoding.ItemHandlerCallback(("a", "b"), None),
        "backup": decoding.BackupHandler(tensor("a"), tensor("b", shape_keys="c")),
    }
    result = {name: words(handler.keys) for name, handler in handlers.items()}
    result.update({name + ".kind": word(type(handler.keys).__name__) for name, handler in handlers.items()})
    result["are_handlers"] = np.array([isinstance(h, decoding.ItemHandler) for h in handlers.values()])
    return result


@gold
def decoding_refuses_what_tf1_refuses(tf: Any) -> Result:
    decoding = tf.contrib.slim.tfexample_decoder
    features = {"a": tf.FixedLenFeature([], tf.int64)}
    decode = lambda handlers, items=None, data="": decoding.TFExampleDecoder(features, handlers).decode(data, items)
    calls = {
        "an_abstract_handler": lambda: decoding.ItemHandler("a"),
        "an_abstract_decoder": lambda: tf.contrib.slim.data_decoder.DataDecoder(),
        "three_sides": lambda: decoding.BoundingBox(["a", "b", "c"]),
        "no_sides": lambda: decoding.BoundingBox([]),
        "two_shapes": lambda: decoding.Tensor("a", shape_keys="b", shape=[1]),
        "a_shape_and_no_keys": lambda: decoding.Tensor("a", shape_keys=[], shape=[1]),
        "a_tuple_of_keys": lambda: decoding.Tensor("a", shape_keys=("b", "c")).keys,
        "two_shapes_looked_up": lambda: decoding.LookupTensor("a", None, shape_keys="b", shape=[1]),
        "no_handler": lambda: decoding.BackupHandler(None, decoding.Tensor("a")),
        "no_backup": lambda: decoding.BackupHandler(decoding.Tensor("a"), "b"),
        "keys_of_two_kinds": lambda: decoding.BackupHandler(
            decoding.Tensor("a"), decoding.ItemHandlerCallback(("b",), None)
        ),
        "an_unknown_item": lambda: decode({"x": decoding.Tensor("a")}, ["y"]),
        "an_unknown_feature": lambda: decode({"x": decoding.Tensor("b")}),
        "no_features": lambda: decoding.TFExampleDecoder({}, {}).decode(""),
        "no_items": lambda: decode({}),
        "many_records": lambda: decode({"x": decoding.Tensor("a")}, None, tf.constant(["", ""])),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}
