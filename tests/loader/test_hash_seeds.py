"""A state is resumed in another process, whose sets and hashes have a different order."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Dict

import pytest

from queuecompat import ImageListLoader
from queuecompat.errors import QueueCompatError
from queuecompat.records import Records, TarSamples
from tests.loader.images.specimens import encoded, photograph

# Label maps as users write them: dicts and sets of strings. What is in a batch must not depend on their order.
PROGRAM = """
import json, sys
import numpy as np
import queuecompat
from queuecompat.loader import MemoryCache, balanced_weights

words = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"]
labels = {word: number for number, word in enumerate(sorted(set(words)))}
items = [(word, f"{word} {number}") for number in range(5) for word in words]
cached = MemoryCache(lambda text: np.array([len(text), hash(text) and 1]), max_bytes=10_000)

def load(item, rng):
    word, text = item
    fields = {"label": labels[word], "text": text, "cached": cached(text), "noise": rng.integers(1000)}
    return {name: fields[name] for name in set(fields)}

def drawn(epoch, rng):
    return rng.permutation(len(items))[:24]

kinds = dict(batch_size=6, num_epochs=2, num_workers=2, seed=3)
images = [(sys.argv[1], word) for word in words * 3]
LOADERS = {
    "shuffled": queuecompat.BackgroundLoader(items, load, shuffle=True, **kinds),
    "iterable": queuecompat.BackgroundLoader(dict.fromkeys(items).keys(), load, shuffle=True, **kinds),
    "sampler": queuecompat.BackgroundLoader(items, load, sampler=drawn, **kinds),
    "balanced": queuecompat.BackgroundLoader(items, load, weights=balanced_weights(next(zip(*items))), **kinds),
    "buckets": queuecompat.BackgroundLoader(
        items, load, bucket_by=lambda example: example["noise"], bucket_boundaries=[300, 600], **kinds
    ),
    "images": queuecompat.ImageListLoader(images, crop=8, subtract_mean=False, weights="balanced", **kinds),
}

def plain(batch):
    if isinstance(batch, dict):
        return {name: plain(value) for name, value in batch.items()}
    return [plain(part) for part in batch] if isinstance(batch, tuple) else batch.tolist()

states = json.load(sys.stdin)
out = {}
for name, loader in LOADERS.items():
    batches = iter(loader)
    if name in states:
        loader.load_state_dict(states[name])
        batches = iter(loader)
    else:
        next(batches), next(batches)
    out[name] = [loader.state_dict(), [plain(batch) for batch in batches]]
json.dump([list(set(words)), out], sys.stdout)
"""


def run(folder: pathlib.Path, hash_seed: str, states: Dict[str, Any]) -> Any:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", PROGRAM, str(folder / "image.png")]
    done = subprocess.run(
        command, input=json.dumps(states), env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def test_a_process_with_another_hash_seed_goes_on_with_the_same_batches(tmp_path: pathlib.Path) -> None:
    (tmp_path / "image.png").write_bytes(encoded(photograph(), "PNG"))
    order, begun = run(tmp_path, "1", {})
    other_order, resumed = run(tmp_path, "2", {name: state for name, (state, _) in begun.items()})
    assert order != other_order  # the seeds do make a difference
    assert all(batches for _, batches in begun.values())
    assert resumed == begun


def test_what_would_depend_on_the_hash_seed_is_refused(tmp_path: pathlib.Path) -> None:
    """Records were numbered, and classes named, by the order of a set."""
    for kind in (Records, TarSamples):
        with pytest.raises(QueueCompatError, match=r"(?s)QC601 .* a set, .* for paths.*sorted\(paths\)"):
            kind({tmp_path / "a", tmp_path / "b"})
    pairs = [("a.png", "cat"), ("b.png", "dog")]
    for images, classes in ((set(pairs), None), (frozenset(pairs), None), (pairs, {"cat", "dog"})):
        with pytest.raises(QueueCompatError, match=r"QC630 .*a set has a different order in each run; pass sorted"):
            ImageListLoader(images, crop=4, classes=classes, subtract_mean=False)  # type: ignore[arg-type]
