"""How a page is read: which blocks it has, and what is promised of them."""

from __future__ import annotations

import pytest

from tests.guide.blocks import blocks_of, commands

PAGE = """\
# Title

```python
import tensorflow as tf
```

<!-- fails: ValueError -->
<!-- before:
x = 1
-->
```python
raise ValueError(x)
```

```python
import queuecompat.v1 as tf
```

<!-- prints -->
```text
...
```

```sh
python -m pip install .
python -m queuecompat run old.py
```
"""


def test_blocks_come_with_their_line_their_mode_and_their_marks() -> None:
    first, second, third, shown, shell = blocks_of("a.md", PAGE)
    assert (first.line, first.mode, first.marks) == (4, "eager", {})
    assert second.marks == {"fails": "ValueError", "before": "x = 1"}
    assert second.mode == "eager"
    assert third.mode == shown.mode == "v1"
    assert shown.marks == {"prints": ""}
    assert not shown.is_run
    assert commands(shell) == ["python -m queuecompat run old.py"]


def test_a_block_that_needs_a_package_says_whether_it_is_missing() -> None:
    text = "<!-- needs: %s -->\n```python\nimport x\n```\n"
    (here,), (not_here,) = (blocks_of("a.md", text % package) for package in ("json", "no_such_package"))
    assert (here.missing, not_here.missing) == ("", "no_such_package")


@pytest.mark.parametrize("text", ["<!-- fails: x -->\n\nprose\n\n```python\n1\n```\n", "<!-- prints -->\n"])
def test_a_mark_that_stands_before_no_block_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="stands before no block"):
        list(blocks_of("a.md", text))
