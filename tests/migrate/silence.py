"""Whether a rewrite is silent about a file in which ``check`` reports parts of a pipeline.

It is not if it rewrites all of them; nor if it names a reason at a line of the file and, in an eager target, in one
comment.
"""

from __future__ import annotations

from typing import List, Sequence

from queuecompat.migrate.check.checking import check_source
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import parsed

__all__ = ["OF_PIPELINES", "reported", "silence"]

OF_PIPELINES = {"QC701", "QC702", "QC703", "QC704", "QC705", "QC706"}
_COMMENT = "# queuecompat: QC7"
# These say what has become of a pipeline, or of its program, and no reason why it was left.
_NO_REASON = {"QC714", "QC746", "QC747"}


def reported(text: str) -> List[Finding]:
    """The parts of pipelines that ``check`` reports in a file."""
    return [one for one in check_source(parsed("file.py", text)) if one.code in OF_PIPELINES]


def silence(old: str, new: str, left: Sequence[Finding], *, is_comment: bool, to: str) -> str:
    """What is wrong with what is said of a file that has *reported* parts; "" if nothing is.

    Args:
      old: its text.
      new: its text after the target *to*.
      left: what the summary says.
      is_comment: a comment is all that is new.
    """
    reasons = [one for one in left if one.code not in _NO_REASON]
    lines = old.splitlines()
    comments = new.count(_COMMENT) - old.count(_COMMENT)
    is_rewritten = old != new and not is_comment
    if not is_rewritten and not reasons:
        return "nothing is said of it"
    if any(not 1 <= one.line <= len(lines) or not lines[one.line - 1].strip() for one in reasons):
        return "a reason is at no line of it"
    if any(one.what.rstrip().endswith(":") for one in reasons):
        return "a reason is empty"
    if to != "v1" and not is_rewritten and comments != 1:
        return f"{comments} comments say why it was left"
    if to != "v1" and is_rewritten and comments > 1:
        return f"{comments} comments are in what was rewritten"
    keeps_session = "import queuecompat.v1" in new
    if to != "v1" and is_rewritten and not keeps_session and not reasons and reported(new):
        return f"line {reported(new)[0].line} of what was rewritten is a part of a pipeline still"
    return ""
