"""A slice of a user's graph, rewritten so that it takes a whole batch: one rule for each type of op."""
