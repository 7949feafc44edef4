"""wt doctor: runs the hook exactly as the client would, and looks for what usually goes wrong. A cure for each, and --fix for some."""
from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guard.wt import git, health, mending, terminal
from guard.wt.create import NO_HOOKS
from guard.wt.environment import data_folder
from guard.wt.errors import UsageError, WtError
from guard.wt.health import Finding, finding
from guard.wt.install import CLIENTS, Client
from guard.wt.install.files import ROOT, plugin_root
from guard.wt.install.registered import Registration, document, registrations
from guard.wt.repository import Repository, open_repository


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--client", choices=sorted(CLIENTS), help="which client's registration to check (default: each that has one)")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended in this repository, asking before each")
    parser.add_argument("--yes", action="store_true", help="with --fix: without asking, where nothing can be lost")


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> clients[], findings: [{check, state: good | note | wrong, said, cure, fix: its name or None, fixed}], wrong: how many"""
    if args.yes and not args.fix:
        raise UsageError("--yes says yes to what --fix would ask", hint="wt doctor --fix --yes")
    chosen = [CLIENTS[args.client]] if args.client else [c for c in CLIENTS.values() if registrations(c)] or [CLIENTS["claude-code"]]
    findings = [one for client in chosen for one in of_client(client)] + [interpreter(), bytecode(), *which_wt(), *of_repository(args)]
    return {"clients": [client.name for client in chosen], "findings": findings, "wrong": sum(one["state"] == "wrong" for one in findings)}


def of_client(client: Client) -> list[Finding]:
    found = registrations(client)
    return [*registered(client, found), *(probed(client, one) for one in found)]


def registered(client: Client, found: list[Registration]) -> list[Finding]:
    sources = [one.source for one in found]
    if not found and client.path.exists() and not document(client.path):
        return [finding("registration", "wrong", f"{client.path} cannot be read as a JSON object with anything in it",
                        f"mend it, then wt install {client.name}")]
    if not found:
        return [finding("registration", "wrong", f"{client.name}: no hook of ours in {client.path}", f"wt install {client.name}")]
    if len(found) > 1:
        return [finding("registration", "wrong", f"{client.name}: {len(found)} times ({', '.join(sources)}), so each call is judged again",
                        f"wt uninstall {client.name} and keep the plugin, or /plugin uninstall worktree-guard")]
    return [finding("registration", "good", f"{client.name}: once, by {sources[0]}")]


def probed(client: Client, one: Registration) -> Finding:
    """The command as registered, in a scratch repository: a write into .git must be refused, one outside must pass."""
    cure = f"wt install {client.name}, and restart the client" if one.source == "settings" else "reinstall the plugin"
    with scratch() as folder:
        bad, err = ask(client, one, folder, str(folder / "repository/.git/config"))
        good, _ = ask(client, one, folder, str(folder / "outside.txt"))
    if bad is None or good is None:
        return finding("probe", "wrong", f"{one.command} does not answer as a hook: {err.strip()[:200] or 'no JSON'}", cure)
    if bad.get("hookSpecificOutput", {}).get("permissionDecision") != "deny":
        return finding("probe", "wrong", f"a write into .git was not refused{': ' + err.strip()[:200] if err.strip() else ''}", cure)
    if good:
        return finding("probe", "wrong", "a harmless write was not let through", cure)
    return finding("probe", "good", f"a harmless probe was refused, another passed ({one.source})")


def ask(client: Client, one: Registration, folder: Path, path: str) -> tuple[dict[str, Any] | None, str]:
    """(the answer, stderr) of the command for a Write of this path. {} for no opinion; None for anything that is no answer."""
    document = {"session_id": "doctor", "cwd": str(folder / "repository"), "hook_event_name": "PreToolUse", "tool_name": "Write",
                "tool_input": {"file_path": path, "content": ""}, "permission_mode": "default", "tool_use_id": "doctor"}
    if client.name == "zcode":
        document |= {"sessionId": "doctor", "hookEventName": "PreToolUse", "toolName": "Write", "toolInput": document["tool_input"]}
    env = {**git.clean_environment(), **one.env, "CLAUDE_PROJECT_DIR": str(folder / "repository")}
    done = git.program(["sh", "-c", one.command], cwd=folder / "repository", given=json.dumps(document).encode(), env=env)
    err = done.stderr.decode(errors="replace")
    if done.returncode:
        return None, err or f"exit status {done.returncode}"
    try:
        return (json.loads(done.stdout) if done.stdout.strip() else {}), err
    except ValueError:
        return None, err or "stdout is not JSON"


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="wt-doctor-")))
    try:
        (folder / "repository").mkdir()
        git.do(*NO_HOOKS, "init", "-q", cwd=folder / "repository")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def interpreter() -> Finding:
    """Which Python hooks/run takes: the recorded one, else the first real one on PATH."""
    record = data_folder() / "python"
    recorded = record.read_text(encoding="utf-8").strip() if record.exists() else ""
    if recorded and os.access(recorded, os.X_OK):
        return starts(recorded, " (recorded)", record)
    first = shutil.which("python3")
    real = next((p for f in os.get_exec_path() if "shims" not in f and "WindowsApps" not in f
                 for p in [Path(f) / "python3"] if os.access(p, os.X_OK) and p.read_bytes()[:2] != b"#!"), None)
    if real is None:
        return finding("interpreter", "wrong", f"no real python3 on PATH ({first or 'none at all'}): the hook cannot run",
                       f"install Python 3.9 or newer, or write its path into {record}")
    shim = f"; {first} is a version manager's shim and is passed over" if first and Path(first) != real and "shims" in first else ""
    return starts(str(real), shim, record)


def starts(python: str, how: str, record: Path) -> Finding:
    """It is run: on Windows a `python3` may be a stub that opens the store (https://github.com/anthropics/claude-code/issues/57946)."""
    enough = "import sys; sys.exit(sys.version_info < (3, 9))"
    status = git.program(["sh", "-c", 'exec "$@"', "sh", python, "-I", "-S", "-c", enough], cwd=record.anchor).returncode
    if status == 0:
        return finding("interpreter", "good", f"{python}{how}")
    return finding("interpreter", "wrong", f"{python} does not start as Python 3.9 or newer (exit status {status}): the hook cannot run",
                   f"mkdir -p {shlex.quote(str(record.parent))} && echo {shlex.quote(sys.executable)} > {shlex.quote(str(record))}")


def bytecode() -> Finding:
    guard = plugin_root() / "guard" if (plugin_root() / "guard").is_dir() else ROOT / "guard"
    if os.access(guard, os.W_OK) or list(guard.glob("__pycache__/main.*.pyc")):
        return finding("bytecode", "good", "kept beside the code")
    return finding("bytecode", "note", f"{guard} is read-only: bytecode goes to {data_folder() / 'bytecode'}")


def which_wt() -> list[Finding]:
    """Another program called wt comes first on PATH, or none at all."""
    first = shutil.which("wt")
    ours = Path(os.path.realpath(shutil.which("worktree-guard") or "/")).parent  # where pip put both of its names
    if first is None:
        return [finding("wt", "note", "no wt on PATH: Claude Code's shells get it at a session's start, yours and other clients' do not",
                        f"mkdir -p ~/.local/bin && ln -s {shlex.quote(str(ROOT / 'scripts/wt'))} ~/.local/bin/, with that on PATH")]
    if Path(os.path.realpath(first)).parent in (ROOT / "scripts", ours):
        return []
    cure = f"call ours worktree-guard, or by its path: {ROOT / 'scripts/wt'}"
    return [finding("another wt", "note", f"{first} is another program", cure)]


def of_repository(args: argparse.Namespace) -> list[Finding]:
    """Of the one we stand in, if any."""
    try:
        repository = open_repository(Path.cwd())
        return [*health.state(repository), *(mended(repository, one, args) for one in mending.mends(repository))]
    except (WtError, OSError):
        return []


def mended(repository: Repository, one: mending.Mend, args: argparse.Namespace) -> Finding:
    """Named only, unless somebody has said yes."""
    if not args.fix or not agreed(one, args):
        return finding("worktree", "note", one.said, one.cure, fix=one.fix)
    try:
        fixed = mending.carry_out(repository, one)
    except (WtError, OSError) as fault:
        return finding("worktree", "wrong", f"{one.said}; it could not be mended: {fault}", one.cure, fix=one.fix)
    said = f"{one.said}; {mending.DONE[one.fix]}" if fixed else f"{one.path} needs no mending any more"
    return finding("worktree", "good", said, fix=one.fix, fixed=fixed)


def agreed(one: mending.Mend, args: argparse.Namespace) -> bool:
    """--yes, where nothing can be lost; else a person's y on a terminal."""
    if args.yes and one.sure:
        return True
    return not args.json and terminal.person() and terminal.says_yes(one.ask)


def lines(data: dict[str, Any]) -> list[str]:
    marks = {"good": "ok   ", "note": "note ", "wrong": "WRONG"}
    said = []
    for one in data["findings"]:
        said.append(f"{'FIXED' if one['fixed'] else marks[one['state']]} {one['check']}: {one['said']}")
        if one["cure"]:
            said.append(f"      cure: {one['cure']}")
    said.append(f"{', '.join(data['clients'])}: {'nothing is wrong' if not data['wrong'] else str(data['wrong']) + ' to mend'}.")
    return said
