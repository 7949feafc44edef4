"""The hot edge: the disk, JSON, git's files, settings and state, as far as one call needs them."""
