"""Rewrites a slice of a user's graph so that it takes whole batches: one rule for each type of op."""
