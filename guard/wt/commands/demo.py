"""wt demo: the main job in a scratch repository. Real git, the real `wt enter`, real documents through the real hook process."""
from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from guard.wt import create, git
from guard.wt.install.files import plugin_root

SESSION = "demo-session"
# what the agent asks for: (tool, its input); {R} is the main checkout, {W} the worktree, {O} another worktree, {T} outside
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("Read", {"file_path": "{R}/app.py"}),
    ("Write", {"file_path": "{R}/notes.md", "content": "written by the agent\n"}),
    ("Grep", {"pattern": "value"}),
    ("Edit", {"file_path": "{R}/app.py", "old_string": "value = 1", "new_string": "value = 2"}),
    ("Edit", {"file_path": "{W}/app.py", "old_string": "value = 1", "new_string": "value = 2"}),
    ("Write", {"file_path": "{O}/app.py", "content": "x"}),
    ("Write", {"file_path": "{R}/.git/config", "content": "x"}),
    ("Write", {"file_path": "{T}/anything.md", "content": "x"}),
    ("Bash", {"command": "cd {R} && git commit -am wip"}),
    ("Bash", {"command": "sed -i s/1/2/ {R}/app.py"}),
    ("Bash", {"command": "git push origin HEAD:main"}),
    ("Bash", {"command": "cd {W} && git commit -qm 'never push to main'"}),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="leave the scratch repository for a look")


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> folder, calls: [{tool, path, answer, lands}], main_clean, worktree_open"""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="wt-demo-")))
    try:
        places = prepared(folder)
        calls = [played(places, tool, given) for tool, given in CALLS]
        return {"folder": str(folder), "kept": args.keep, "calls": calls, "main": places["R"], "worktree": places["W"],
                "other": places["O"],
                "main_status": git.ask("status", "--porcelain", cwd=places["R"]).splitlines(),
                "worktree_status": git.ask("status", "--porcelain", cwd=places["W"]).splitlines()}
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)


def prepared(folder: Path) -> dict[str, str]:
    """A repository with one file; the session is bound to the worktree `task`, somebody else works in `other`."""
    main = folder / "app"
    main.mkdir()
    (main / "app.py").write_text("value = 1\n", encoding="utf-8")
    git.do("init", "-q", "-b", "main", cwd=main)
    git.do("add", "-A", cwd=main)
    identity = ("-c", "user.name=demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgSign=false")
    git.do(*identity, *create.NO_HOOKS, "commit", "-qm", "a first commit", cwd=main)
    start = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); from guard.wt.cli import entry; entry()"
    wt = [sys.executable, "-I", "-c", start, json.dumps(sys.path)]
    git.program([*wt, "new", "other"], cwd=main, env=git.clean_environment())
    entered = git.program([*wt, "enter", "task", "--session", SESSION, "--json"], cwd=main, env=git.clean_environment())
    path = json.loads(entered.stdout)["data"]["path"]
    return {"R": str(main), "W": path, "O": str(Path(path).parent / "other"), "T": str(folder)}


def played(places: dict[str, str], tool: str, given: dict[str, str]) -> dict[str, Any]:
    """One call as a client makes it: ask the hook, then do what came back."""
    asked = {key: value.format(**places) if key != "content" else value for key, value in given.items()}
    document = {"session_id": SESSION, "cwd": places["R"], "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": asked,
                "permission_mode": "default", "tool_use_id": "toolu_demo"}
    hook = [sys.executable, "-I", "-S", str(plugin_root() / "hooks/pre_tool_use.py"), "--client", "claude-code"]
    done = git.program(hook, cwd=places["R"], given=json.dumps(document).encode(), env=git.clean_environment())
    said = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    used = said.get("updatedInput", asked)
    refused = said.get("permissionDecision") == "deny"
    if not refused and tool == "Write" and used["file_path"].startswith(places["W"]):
        Path(used["file_path"]).write_text(used["content"], encoding="utf-8")
    if not refused and tool == "Edit":
        file = Path(used["file_path"])
        file.write_text(file.read_text(encoding="utf-8").replace(used["old_string"], used["new_string"]), encoding="utf-8")
    answer = "refused" if refused else "moved" if used != asked else "passed"
    on = asked.get("file_path") or asked.get("command") or "(no path: the folder it stands in)"
    lands = used.get("file_path") or used.get("path") or ("as typed" if tool == "Bash" else None)
    return {"tool": tool, "asked": on, "answer": answer, "lands": None if refused else lands,
            "reason": said.get("permissionDecisionReason")}


def lines(data: dict[str, Any]) -> list[str]:
    def brief(path: str | None) -> str:
        path = (path or "nowhere").replace(data["worktree"], "W").replace(data["other"], "other")
        return path.replace(data["main"], "main").replace(data["folder"], "outside")

    rows = [("CALL", "ON", "ANSWER", "LANDS IN")]
    rows += [(call["tool"], brief(call["asked"]), call["answer"], brief(call["lands"])) for call in data["calls"]]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in rows]
    refused = next(call for call in data["calls"] if call["reason"])
    return [f"main  {data['main']}", f"W     {data['worktree']}  (the session is bound to it)", "", *table, "",
            "The agent was told, for one of the refusals:", *(f"  {line}" for line in brief_lines(refused["reason"], brief)), "",
            f"The main checkout: {'clean' if not data['main_status'] else ', '.join(data['main_status'])}.",
            f"The worktree:      {', '.join(data['worktree_status']) or 'clean'}.",
            *([f"Kept: {data['folder']}"] if data["kept"] else [])]


def brief_lines(text: str, brief: Any) -> list[str]:
    return [brief(line) for line in text.splitlines()]
