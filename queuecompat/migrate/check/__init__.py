"""``queuecompat check``: runs rules over files and prints their findings as text, JSON or SARIF."""
