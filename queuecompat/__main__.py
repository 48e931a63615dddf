"""``python -m queuecompat``."""

from __future__ import annotations

from queuecompat.cli import main

main()
