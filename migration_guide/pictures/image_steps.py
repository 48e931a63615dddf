"""Draws the order in which ``ImageListLoader`` does its steps: ``python migration_guide/pictures/image_steps.py``.

Needs nothing but Python: the picture is text.
"""

from __future__ import annotations

import pathlib

# What is done, and the arguments that ask for it; below the line, the type of what the step returns.
STEPS = (
    ("decode", "decoders, max_pixels", "uint8, RGB"),
    ("resize", "resize", "uint8"),
    ("crop, mirror", "crop, crop_area, mirror", "uint8, the crop's size"),
    ("transform", "transform", "uint8"),
    ("channels", "channels", "RGB or BGR"),
    ("less the mean", "mean", "float32"),
    ("times scale / std", "scale, std", "float32"),
    ("axes", "layout", "HWC or CHW"),
)
WIDTH, HEIGHT, GAP, ROW = 150, 62, 24, 4


def picture() -> str:
    """The picture, as SVG."""
    rows = -(-len(STEPS) // ROW)
    size = ROW * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" font-family="sans-serif">',
        f'<rect width="{size[0]}" height="{size[1]}" fill="white"/>',
    ]
    for number, (name, arguments, result) in enumerate(STEPS):
        left, top = GAP + number % ROW * (WIDTH + GAP), GAP + number // ROW * (HEIGHT + GAP)
        middle = left + WIDTH // 2
        parts += [
            f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef3f8" stroke="#456"/>',
            _text(middle, top + 20, f"{number + 1}. {name}", 14, "#000"),
            _text(middle, top + 37, arguments, 11, "#036"),
            _text(middle, top + 53, result, 11, "#555"),
        ]
        if number % ROW:
            parts.append(_text(left - GAP // 2, top + HEIGHT // 2 + 5, "&#8594;", 18, "#456"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: int, y: int, text: str, size: int, colour: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle" fill="{colour}">{text}</text>'


if __name__ == "__main__":
    pathlib.Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
