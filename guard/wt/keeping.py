"""The refs of a removed worktree: its commits and open files, and apart from them what only its logs and its operation still name."""
from __future__ import annotations

import os
from pathlib import Path

from guard.wt import git, snapshots, trash
from guard.wt.create import NO_HOOKS
from guard.wt.gate import Case
from guard.wt.index_copy import Entry

# Commits that git keeps beside HEAD. (gitrevisions(7))
BESIDE = ("ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_HEAD")
MOST = 1000  # commits of logs, the newest


def kept(case: Case, name: str) -> tuple[str, str, list[str]]:
    """-> (ref, ref of what else there is, warnings); a ref is "" where there is nothing to keep."""
    ref, more = f"{trash.REFS}{name}", f"{trash.REFS}{name}+more"
    path, head, branch = case.path, case.entry.head.strip("0") and case.entry.head, case.entry.branch
    message = f"removed {path.name}: {branch or '(detached)'} @ {head[:9] or 'no commit yet'}"
    warnings: list[str] = []
    commit = ""
    if case.remains.open or not head:
        taken = snapshots.take(case.repository, path, message, ref)
        commit, warnings = taken.commit, taken.warnings
    if head and not commit:
        made = snapshots.committed(path, git.ask("rev-parse", f"{head}^{{tree}}", cwd=path), [head], message)
        git.do(*NO_HOOKS, "update-ref", ref, made, "", cwd=case.repository.at)
        commit = made
    parents, blobs = forgotten(path, branch), [entry for entry in case.remains.unmerged if entry.mode.startswith("100")]
    if parents or blobs:
        held = snapshots.committed(path, tree_of(path, blobs), parents, f"logs and conflicts of {message}")
        git.do(*NO_HOOKS, "update-ref", more, held, "", cwd=case.repository.at)
    return ref if commit else "", more if parents or blobs else "", warnings


def forgotten(path: Path, branch: str) -> list[str]:
    """Commits that nothing but the worktree's logs, its refs and its half-done operation name: amended ones, and those left detached."""
    said = [git.ask_or("", "log", "-g", f"-{MOST}", "--format=%H", name, "--", cwd=path) for name in ("HEAD", branch) if name]
    said += [] if said[0] else [log_without_head(path)]
    said += [git.ask_or("", "rev-parse", "-q", "--verify", f"{name}^{{commit}}", cwd=path) for name in BESIDE]
    said.append(git.ask_or("", "for-each-ref", "--format=%(objectname)", "refs/bisect/", "refs/worktree/", "refs/rewritten/", cwd=path))
    named = list(dict.fromkeys("\n".join(said).split()))[:MOST]
    if not named:
        return []
    done = git.attempt("rev-list", "--ignore-missing", "--stdin", "--not", "--branches", "--tags", "--remotes", "HEAD", cwd=path,
                       given="\n".join(named).encode() + b"\n")
    free = set(os.fsdecode(done.stdout).split()) if done.returncode == 0 else set(named)
    return [commit for commit in named if commit in free]


def log_without_head(path: Path) -> str:
    """What HEAD was before it came to lead to no commit (checkout --orphan): git shows the log of no such HEAD, so its file is read."""
    file = Path(git.ask_or("", "rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD", cwd=path))
    try:
        rows = git.lines(os.fsdecode(file.read_bytes()))
    except OSError:
        return ""
    return "\n".join(commit for row in reversed(rows[-MOST:]) for commit in reversed(row.split(" ")[:2]) if commit.strip("0"))


def tree_of(path: Path, entries: list[Entry]) -> str:
    """All sides of a conflict as one tree, so that git collects none of them."""
    rows = "".join(f"100644 blob {oid}\t{oid}\n" for oid in sorted({entry.oid for entry in entries}))
    words = (*NO_HOOKS, "mktree", "--missing")
    return git.answer(git.attempt(*words, cwd=path, given=rows.encode()), words)
