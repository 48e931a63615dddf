"""The background loader, measured: against others that do the same, and against what it promises."""
