"""A report as an HTML page: one file that needs no network, for light and dark, wide and narrow screens."""

from __future__ import annotations

import html
from typing import Iterator, Sequence, Tuple, Union

from queuecompat._plan.skipped import SkipLog, described
from queuecompat.reporting import data, text
from queuecompat.reporting.figures import Native, Pipeline, duration

__all__ = ["fragment", "render"]

# Text and background colours are both set: a notebook's theme may be light where the system prefers dark.
_STYLE = """
.queuecompat { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
  box-sizing: border-box; overflow-wrap: anywhere; color: var(--text); background: var(--page);
  --text: #1f2328; --page: #ffffff; --line: #c8ccd0; --quiet: #59636e; --wait: #b3261e; --work: #1f6f43;
  --box: #f4f6f8; }
@media (prefers-color-scheme: dark) { .queuecompat {
  --text: #e6e9ec; --page: #14171a; --line: #454c54; --quiet: #9aa4ae; --wait: #ff8a80; --work: #6fd39a;
  --box: #1d2227; } }
.queuecompat h1 { font-size: 1.4rem } .queuecompat h2 { font-size: 1.1rem; margin: 2rem 0 0 }
.queuecompat .quiet { color: var(--quiet); margin: 0 }
.queuecompat .verdict { font-weight: 600; margin: .5rem 0 }
.queuecompat ol { list-style: none; padding: 0; margin: 1rem 0 }
.queuecompat li { border: 1px solid var(--line); border-radius: .4rem; background: var(--box); padding: .3rem .7rem;
  font: 14px/1.5 ui-monospace, monospace }
.queuecompat li + li { margin-top: 1.2rem; position: relative }
.queuecompat li + li::before { content: "\\2193"; position: absolute; top: -1.35rem; left: 1rem; color: var(--quiet) }
.queuecompat .bar { display: flex; height: 1.4rem; border-radius: .4rem; overflow: hidden;
  border: 1px solid var(--line) }
.queuecompat .bar span { display: block; height: 100% }
.queuecompat .wait { background: var(--wait) } .queuecompat .work { background: var(--work) }
.queuecompat .key { display: flex; flex-wrap: wrap; gap: 0 1.5rem; font-size: .9rem }
.queuecompat .key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .4rem }
.queuecompat table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: .9rem }
.queuecompat td { padding: .15rem .5rem .15rem 0; vertical-align: top;
  background: var(--page) }
.queuecompat td:nth-child(2) { width: 3rem; text-align: right }
.queuecompat td:nth-child(3) { width: 4.5rem; text-align: right; white-space: nowrap }
.queuecompat td:nth-child(4) { width: 35% }
.queuecompat .share { display: inline-block; height: .8rem; border-radius: .2rem; background: var(--work) }
.queuecompat figure { margin: 1rem 0 } .queuecompat figcaption { font-size: .9rem }
.queuecompat svg { box-sizing: border-box; width: 100%; height: 6rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--box) }
.queuecompat polyline { fill: none; stroke: var(--work); stroke-width: 2; vector-effect: non-scaling-stroke }
.queuecompat pre { white-space: pre-wrap; color: inherit; background: var(--box);
  padding: .7rem; border-radius: .4rem }
"""
# The style of the page around the report, which looks the same.
_AROUND = """html { background: #ffffff } body { margin: 0 }
@media (prefers-color-scheme: dark) { html { background: #14171a; color-scheme: dark } }"""


def render(pipelines: Sequence[Union[Pipeline, Native]], logs: Sequence[SkipLog] = ()) -> str:
    """Returns the whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Input pipelines</title>\n<style>{_AROUND}</style>\n</head>\n<body>\n"
        + fragment(pipelines, logs)
        + "</body>\n</html>\n"
    )


def fragment(pipelines: Sequence[Union[Pipeline, Native]], logs: Sequence[SkipLog] = ()) -> str:
    """Returns the part of the page that a notebook shows."""
    sections = [line for one in pipelines for line in (_pipeline(one) if isinstance(one, Pipeline) else _native(one))]
    left_out = [f"<pre>{html.escape(line)}</pre>" for line in ["\n".join(described([log])) for log in logs]]
    about = ", ".join(f"{name} {version}" for name, version in data.versions().items())
    machine = data.machine()
    return "\n".join(
        [
            f'<div class="queuecompat"><style>{_STYLE}</style>',
            "<h1>Input pipelines</h1>",
            *(sections or [f"<p>{text.NOTHING_BUILT}</p>"]),
            *left_out,
            f'<p class="quiet">{html.escape(about)}; {machine["cores"]} cores, {html.escape(machine["system"])}</p>',
            "</div>\n",
        ]
    )


def _pipeline(one: Pipeline) -> Iterator[str]:
    yield from _head(one)
    if not one.is_measured:
        yield f"<p>{html.escape(text.unmeasured(one))}.</p>"
    else:
        yield f'<p class="verdict">{one.verdict}: {html.escape(one.advice or "")}</p>'
        yield from _bar(one)
        yield f"<p>{html.escape(text.delivered(one))}.</p>"
        yield from _stages(one)
        yield from _over_time(one)
    yield "<ol>" + "".join(f"<li>{html.escape(step)}</li>" for step in one.steps) + "</ol>"


def _bar(one: Pipeline) -> Iterator[str]:
    """Shows how the time after the first batch was spent."""
    waited = round(one.share_waited * 100, 1)
    label = f"waited for data {waited:.0f} %, computed {100 - waited:.0f} %"
    yield (
        f'<div class="bar" role="img" aria-label="{label}"><span class="wait" style="width:{waited}%"></span>'
        f'<span class="work" style="width:{100 - waited}%"></span></div>'
    )
    yield (
        f'<div class="key"><span><i class="wait"></i>waited for data {waited:.0f} %</span>'
        f'<span><i class="work"></i>your loop computed {100 - waited:.0f} %</span></div>'
    )


def _stages(one: Pipeline) -> Iterator[str]:
    """Shows how the work is divided among the stages."""
    if not one.stages:
        return
    words = text.work(one)
    yield f"<p>{words[0].upper()}{words[1:]}:</p>\n<table>"
    for stage in one.stages:
        share = one.share(stage)
        yield (
            f"<tr><td>{html.escape(stage.kind)}</td><td>{share:.0%}</td>"
            f"<td>{'' if stage.seconds_each is None else duration(stage.seconds_each)}</td>"
            f'<td><i class="share" style="width:{100 * share:.1f}%"></i></td></tr>'
        )
        if stage.op:  # in a row of its own: a path needs more room than a column has
            yield f'<tr><td colspan="4" class="quiet">{html.escape(text.most_expensive(stage))}</td></tr>'
    yield "</table>"


def _over_time(one: Pipeline) -> Iterator[str]:
    """Shows its throughput, and the occupancy of its queues' buffers, as lines over time."""
    pairs = [(a, b) for a, b in zip(one.looks, one.looks[1:]) if b.when > a.when]
    rates = [(b.when, (b.count - a.count) / (b.when - a.when)) for a, b in pairs]
    if len(rates) > 1:
        most = max(rate for _, rate in rates)
        yield _line_chart(rates, most, f"{one.unit} a second, at most {most:,.0f}, over {rates[-1][0]:.0f} s")
    for name, capacity in one.capacities.items():
        fills = [(look.when, float(look.held[name])) for look in one.looks if name in look.held]
        if len(fills) > 1 and capacity > 0:
            words = f"elements in the buffers of '{name}', of {capacity:,}, over {fills[-1][0]:.0f} s"
            yield _line_chart(fills, float(capacity), words)


def _line_chart(points: Sequence[Tuple[float, float]], most: float, words: str) -> str:
    """Returns a figure of *points*, which are pairs of a time and a value from 0 to *most*."""
    last = points[-1][0] or 1.0
    places = " ".join(f"{100 * when / last:.1f},{100 - 98 * value / (most or 1.0):.1f}" for when, value in points)
    label = html.escape(words)
    return (
        f'<figure><figcaption>{label}</figcaption><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}"><polyline points="{places}"></polyline></svg></figure>'
    )


def _native(one: Native) -> Iterator[str]:
    yield from _head(one)
    yield f"<pre>{html.escape(one.reason)}</pre>"


def _head(one: Union[Pipeline, Native]) -> Iterator[str]:
    kind = "compiled to tf.data" if isinstance(one, Pipeline) else "native, on TensorFlow's own queues"
    yield f"<h2>{html.escape(one.name)}</h2>"
    yield f'<p class="quiet">{kind}, made at {html.escape(one.made_at)}</p>'
