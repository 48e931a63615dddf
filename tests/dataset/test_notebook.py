"""Explanations in a notebook: what IPython would call, called."""

from __future__ import annotations

import html
import re
from typing import Any, List

import tensorflow

import queuecompat
from queuecompat import train


class Printer:
    """As much of IPython's printer as objects are given."""

    def __init__(self) -> None:
        self.parts: List[str] = []

    def text(self, text: str) -> None:
        self.parts.append(text)


def pretty(one: Any) -> str:
    printer = Printer()
    one._repr_pretty_(printer, False)
    return "".join(printer.parts)


def content(page: str) -> str:
    """What a page shows."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", page, flags=re.DOTALL))


def numbers() -> Any:
    number = train.range_input_producer(10, shuffle=False).dequeue()
    return train.batch([tensorflow.cast(number, tensorflow.float32) * 0.5], 4)


def test_plans_show_themselves_as_they_are_printed() -> None:
    with tensorflow.Graph().as_default() as graph:
        numbers()
    for one in (queuecompat.explain(graph), queuecompat.explain(graph, passes=True)):
        assert pretty(one) == str(one) and content(one._repr_html_()) == str(one)


def test_a_program_shows_itself_in_colours_and_complete() -> None:
    dataset = queuecompat.as_dataset(numbers)
    code = queuecompat.explain(dataset, code=True)
    page = code._repr_html_()
    assert content(page) == str(code) == pretty(code)
    assert '<span class="k">def</span>' in page and '<span class="n">4</span>' in page
