"""``queuecompat check``: rules over files, and the formats that findings are printed in."""
