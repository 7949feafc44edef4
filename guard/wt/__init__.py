"""`wt`: makes, enters, leaves and lists worktrees. Cold: it may import anything, and nothing imports it."""
