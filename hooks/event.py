"""Every event but PreToolUse: session starts and ends, helpers, the client's own worktrees, permission requests."""
import sys

folder = __file__.replace("\\", "/").rpartition("/")[0] or "."
sys.path.insert(0, folder + ("/../../.." if folder.endswith("/_plugin/hooks") else "/.."))  # the second: an installed package

try:
    from guard.events import main
except Exception as fault:
    if sys.stderr is not None:
        sys.stderr.write(f"worktree-guard is damaged: {fault}\n")
    sys.exit(0)
main(sys.argv[1:])
