"""What the hook answers on macOS and Windows, on a disk in memory: letter case, drives, separators."""
from __future__ import annotations

import json
from typing import Any

import pytest

from guard.clients import zcode
from guard.core.paths import MACOS, WINDOWS, Flavour
from guard.main import decide, placed
from tests.fake_disk import FakeDisk

MAC = {"R": "/Users/dev/App", "W": "/Users/dev/app-wt/x"}
WIN = {"R": "C:\\Work\\app", "W": "C:\\Work\\app-wt\\x"}


def disk_of(flavour: Flavour, places: dict[str, str]) -> FakeDisk:
    """R on main, W on wt/x bound for everybody; src/app.py in both, docs only in R."""
    sep = flavour.sep
    git = sep.join([places["R"], ".git"])
    admin = sep.join([git, "worktrees", "x"])
    binding = {"version": 1, "active": True, "path": places["W"], "main": places["R"], "branch": "wt/x", "base": "main"}
    return FakeDisk(flavour, {
        git + sep + "HEAD": "ref: refs/heads/main\n", git + sep + "config": "[core]\n\tbare = false\n",
        admin + sep + "HEAD": "ref: refs/heads/wt/x\n", admin + sep + "commondir": "../..\n",
        places["W"] + sep + ".git": f"gitdir: {admin.replace(sep, '/')}\n",
        places["R"] + sep + sep.join(["src", "app.py"]): "value = 1\n", places["W"] + sep + sep.join(["src", "app.py"]): "value = 1\n",
        places["R"] + sep + sep.join(["docs", "n.md"]): "n\n",
        git + sep + sep.join(["worktree-guard", "state.json"]): json.dumps(binding),
    })


# flavour, tool, input, cwd, expected path (None: passes as it is; a rule: refused)
ROWS = [
    (MACOS, "Edit", "/users/dev/APP/src/app.py", MAC["W"], "/Users/dev/app-wt/x/src/app.py"),
    (MACOS, "Edit", "/Users/dev/App/SRC/app.py", MAC["W"], "/Users/dev/app-wt/x/SRC/app.py"),
    (MACOS, "Write", "/users/dev/APP-WT/X/docs/a.md", MAC["W"], None),
    (MACOS, "Write", "/users/dev/app/.GIT/config", MAC["W"], "git-folder"),
    (WINDOWS, "Edit", "c:\\work\\app\\src\\app.py", WIN["W"], "C:\\Work\\app-wt\\x\\src\\app.py"),
    (WINDOWS, "Write", "c:\\WORK\\app-wt\\x\\docs\\a.md", WIN["W"], None),
    (WINDOWS, "Write", "C:/Work/app\\src\\new.py", WIN["R"], "C:\\Work\\app-wt\\x\\src\\new.py"),
    (WINDOWS, "Write", "/c/Work/app/src/new.py", WIN["R"], "C:\\Work\\app-wt\\x\\src\\new.py"),
    (WINDOWS, "Write", "/cygdrive/c/Work/app/src/new.py", WIN["R"], "C:\\Work\\app-wt\\x\\src\\new.py"),
    (WINDOWS, "Write", "src\\new.py", "/c/Work/app", "C:\\Work\\app-wt\\x\\src\\new.py"),
    (WINDOWS, "Write", "C:\\Work\\app-notes\\a.md", WIN["R"], None),
    (WINDOWS, "Write", "C:\\Work\\app\\GIT~1\\config", WIN["R"], "git-folder"),
    (WINDOWS, "Write", "C:\\Work\\app\\.git.\\config", WIN["R"], "git-folder"),
    (WINDOWS, "Write", "D:\\Work\\app\\src\\new.py", WIN["R"], None),
    (WINDOWS, "Edit", "C:\\Work\\app\\docs\\n.md", WIN["R"], "only-in-main"),
]


@pytest.mark.parametrize(("flavour", "tool", "path", "cwd", "expected"), ROWS, ids=[f"{r[0].name} {r[1]} {r[2]}" for r in ROWS])
def test_one_path_function_for_all(flavour: Flavour, tool: str, path: str, cwd: str, expected: str | None) -> None:
    disk = disk_of(flavour, MAC if flavour is MACOS else WIN)
    given: dict[str, Any] = {"file_path": path, "content": "value = 2\n"}
    call = placed(zcode.read({"tool_name": tool, "tool_input": given, "cwd": cwd, "session_id": "s"}, disk.variable), disk)
    verdict = decide(call, zcode.ABILITIES, disk)
    if expected is None:
        assert (verdict.kind, verdict.input) == ("allow", None)
    elif expected.islower() and flavour.sep not in expected:
        assert (verdict.kind, verdict.rule) == ("deny", expected)
    else:
        assert verdict.input == {**given, "file_path": expected}


def test_a_search_from_main_is_sent_to_w_on_windows() -> None:
    disk = disk_of(WINDOWS, WIN)
    document = {"tool_name": "Glob", "tool_input": {"pattern": "c:\\work\\app\\src\\*.py"}, "cwd": WIN["W"]}
    call = placed(zcode.read(document, disk.variable), disk)
    assert decide(call, zcode.ABILITIES, disk).input == {"pattern": "C:\\Work\\app-wt\\x\\src\\*.py"}
