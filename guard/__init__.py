"""Keeps coding agents inside the git worktree they were told to work in. Start reading at guard/main.py."""

VERSION = "0.1.0"
