"""Write tiles of the two photographs that scikit-learn ships, as JPEG files and two lists.

A tile is 96x96 pixels from a random place; its label is the photograph: 0 the temple, 1 the flower. Tiles to
train on come from the left of the photographs and those to test with from the right, so no pixel is in both.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

try:
    from PIL import Image
    from sklearn.datasets import load_sample_images
except ImportError:
    sys.exit("make_tiles.py needs scikit-learn and Pillow: pip install scikit-learn pillow")

TILE = 96  # pixels a side
SEED = 2016
# From a list to the columns of a photograph that its tiles come from, and how many.
LISTS = {"train": (slice(0, 420), 600), "test": (slice(420, 640), 200)}


def write_tiles(directory: Path) -> None:
    """Write ``train/*.jpg``, ``test/*.jpg`` and the lists that name them."""
    rng = np.random.default_rng(SEED)
    photographs = load_sample_images().images
    for name, (columns, count) in LISTS.items():
        (directory / name).mkdir(parents=True, exist_ok=True)
        lines = [f"# {count} tiles of {TILE}x{TILE} pixels: path, number of the photograph"]
        for number in range(count):
            label = number % len(photographs)
            part = photographs[label][:, columns]
            top, left = (rng.integers(size - TILE + 1) for size in part.shape[:2])
            path = f"{name}/{number:04}.jpg"
            Image.fromarray(part[top : top + TILE, left : left + TILE]).save(directory / path, quality=90)
            lines.append(f"{path} {label}")
        # Last, so that a list only names files that are there.
        (directory / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data_dir", required=True, type=Path, help="where tiles and lists go")
    write_tiles(parser.parse_args().data_dir)
