"""Every event but PreToolUse: session starts and ends, helpers, the client's own worktrees, permission requests."""
import sys

folder = __file__.replace("\\", "/").rpartition("/")[0] or "."
root = folder + ("/../../.." if folder.endswith("/_plugin/hooks") else "/..")  # the first: an installed package
sys.path.insert(0, root)

try:
    import guard
    guard.take_the_short_way(root)
    from guard.events import main
except Exception as fault:
    if sys.stderr is not None:
        sys.stderr.write(f"worktree-guard is damaged: {fault}\n")
    sys.exit(0)
main(sys.argv[1:])
