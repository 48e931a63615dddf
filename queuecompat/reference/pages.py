"""The guide's page on error codes, for ``queuecompat explain``: from the installed package, or from a clone.

The page is one file, ``migration_guide/errors.md``. ``setup.py`` puts a copy into what it builds.
"""

from __future__ import annotations

import pathlib
import re
from typing import Dict

__all__ = ["groups", "sections"]

_PLACES = (
    pathlib.Path(__file__).parent / "errors.md",
    pathlib.Path(__file__).parents[2] / "migration_guide" / "errors.md",
)


def sections() -> Dict[str, str]:
    """What the page says of each code, by the code; Markdown without the heading.

    Raises:
      FileNotFoundError: the package was copied by hand, without its data.
    """
    parts = re.split(r"^## (QC\d{3})$", _page(), flags=re.MULTILINE)
    return {code: text.strip() for code, text in zip(parts[1::2], parts[2::2])}


def groups() -> Dict[str, str]:
    """What the groups of codes are about, by their pattern, such as ``QC1xx``."""
    return dict(re.findall(r"^\| `(QC[\dx]{3})` \| (.*) \|$", _page(), flags=re.MULTILINE))


def _page() -> str:
    page = next((place for place in _PLACES if place.exists()), _PLACES[0]).read_text(encoding="utf-8")
    return re.sub(r"<!--.*?-->\n?", "", page, flags=re.DOTALL)  # for the tests, which run the examples
