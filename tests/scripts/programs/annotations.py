"""Boxes of objects from XML files and lists in JSON, cut out by Pillow in a pipeline, as detectors did it in 2017."""

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import xml.etree.cElementTree as ET
from collections import Mapping

import numpy as np
import tensorflow as tf
from PIL import Image

SIZE = (8, 6)
NAMES = ["cat", "dog", "bird", "car"]
BOXES = {"cat": 1, "dog": 3, "bird": 2, "car": 1}


def write_files(folder):
    """An image, and an XML file with its boxes, for each name; and the split in JSON."""
    for number, name in enumerate(NAMES):
        rows, columns = np.mgrid[0:20, 0:30]
        pixels = np.uint8(10 * number + rows + columns)
        Image.fromarray(pixels).save(os.path.join(folder, name + ".png"))
        objects = "".join(
            "<object><name>%s</name><box><x>%d</x><y>%d</y></box></object>" % (name, 2 * k + number, k + 1)
            for k in range(BOXES[name])
        )
        with open(os.path.join(folder, name + ".xml"), "w") as out:
            out.write("<annotation>" + objects + "</annotation>")
    with open(os.path.join(folder, "split.json"), "wb") as out:
        out.write(json.dumps({"train": NAMES[:3], "test": NAMES[3:]}).encode("utf-8"))
    with open(os.path.join(folder, "names.txt"), "wb") as out:
        out.write("\r\n".join(NAMES).encode("utf-8"))


def read_boxes(folder, name):
    root = ET.parse(os.path.join(folder, name + ".xml")).getroot()
    boxes = []
    for thing in root.getchildren():
        corner = [int(one.text) for one in thing.find("box").getiterator() if one.text and one.text.strip()]
        boxes.append(corner)
    return boxes


def crop(path, corner):
    x, y = corner
    image = Image.open(path.decode("utf-8")).crop((x, y, x + 2 * SIZE[0], y + 2 * SIZE[1]))
    small = image.resize(SIZE, Image.ANTIALIAS)
    mean = np.asarray(small).astype(np.float).mean()
    return mean.astype(np.float32), np.fromstring(repr(small.size).encode("ascii"), np.uint8)


def main(args):
    folder = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(args.summary)))
    write_files(folder)
    names = [line.strip() for line in open(os.path.join(folder, "names.txt"), "rU")]
    split = json.load(open(os.path.join(folder, "split.json")), encoding="utf-8")
    assert isinstance(split, Mapping)

    boxes = np.array([read_boxes(folder, name) for name in names])  # of unequal lengths
    counts = np.array(list(map(len, boxes)), copy=False)
    paths = np.hstack([os.path.join(folder, name + ".png")] * n for name, n in zip(names, counts))
    corners = np.vstack(map(np.array, boxes)).astype(np.int)
    random.seed(7)
    chosen = random.sample(set(range(len(paths))), 5)
    start = random.randint(0, np.floor(2.9))

    path, corner = tf.train.slice_input_producer([paths, corners.astype(np.int32)], shuffle=False, num_epochs=2)
    mean, size = tf.py_func(crop, [path, corner], [tf.float32, tf.uint8])
    mean.set_shape([])
    size.set_shape([6])
    corner_batch, size_batch = tf.train.batch([corner, size], 3, allow_smaller_final_batch=True)
    lines = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                found, sizes = sess.run([corner_batch, size_batch])
                first = found[:1, 0]
                lines.append("%d %s %s" % (first, [found[0, 1], float(first)], sizes[0].tostring().decode()))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
        coord.join(threads)
        alive = any(one.isAlive() for one in threads)

    with open(args.summary, "w") as file:
        json.dump({
            "alive": alive or threading.Thread().isAlive(),
            "boxes": [str(boxes.dtype), boxes.shape[0], int(np.sum(n for n in counts))],
            "chosen": chosen + [start],
            "corners": np.asscalar(corners.sum()),
            "lines": lines,
            "median": float(np.percentile(counts, 50, interpolation="lower")),
            "rows": np.mat(corners[:2]).tolist(),
            "split": sorted(split),
        }, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="/tmp/data")
    parser.add_argument("--summary", default="/tmp/annotations.json")
    main(parser.parse_args(sys.argv[1:]))
