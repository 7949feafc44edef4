"""Registering the hooks in a client's own configuration: exactly our entries, every other byte kept, with a backup."""
from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.events import EVENTS
from guard.wt.errors import UsageError, WtError
from guard.wt.install import json_text
from guard.wt.install.files import plugin_root

NATIVE = ("worktree_create", "worktree_remove")  # of a client's own worktrees: hooks/worktree answers them, not guard/events
OURS = re.compile(r"hooks/run\"? (?:pre_tool_use|" + "|".join((*EVENTS, *NATIVE)) + r") --client [\w-]+$")


@dataclass(frozen=True)
class Client:
    """Where a client keeps its hooks, and which of our events it knows.

    `where`: the keys that lead to its events; `switch`: one that must be true; `milliseconds`: how it counts time limits.
    """

    name: str
    file: str
    home_variable: str
    where: tuple[str, ...]
    events: tuple[str, ...]
    switch: tuple[str, ...] = ()
    milliseconds: bool = False

    @property
    def path(self) -> Path:
        own = os.environ.get(self.home_variable) if self.home_variable else None
        return Path(own) / Path(self.file).name if own else Path.home() / self.file


CLIENTS = {
    "claude-code": Client("claude-code", ".claude/settings.json", "CLAUDE_CONFIG_DIR", ("hooks",),
                          ("PreToolUse", "PostToolUse", "PermissionRequest", "SessionStart", "SubagentStart", "SessionEnd",
                           "WorktreeCreate", "WorktreeRemove")),
    "zcode": Client("zcode", ".zcode/cli/config.json", "", ("hooks", "events"), ("PreToolUse", "SessionStart"), ("hooks", "enabled"), True),
}


def entries(client: Client) -> list[tuple[str, dict[str, Any]]]:
    """(event, entry) for each hook, made of hooks/hooks.json with the full path of this installation."""
    run = (plugin_root() / "hooks/run").as_posix()
    hooks = json.loads((plugin_root() / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    found = []
    for event in client.events:
        for entry in hooks[event]:
            hook = entry["hooks"][0]
            command = hook["command"].replace("${CLAUDE_PLUGIN_ROOT}/hooks/run", run) + f" --client {client.name}"
            limit = {"timeoutMs": hook["timeout"] * 1000} if client.milliseconds else {"timeout": hook["timeout"]}
            found.append((event, {**entry, "hooks": [{"type": "command", "command": command, **limit}]}))
    return found


def installed_text(client: Client, text: str) -> str:
    """The configuration with our entries, once, and everything else as it is. ValueError where it is not a JSON object."""
    if text.strip() and is_installed(client, text):
        return switched_on(client, text)
    text = cleaned_text(client, text) if text.strip() else "{}\n"
    for event, entry in entries(client):
        for depth in range(len(client.where) + 1):
            keys = (*client.where, event)
            node = found(json_text.parse(text), keys[:depth + 1])
            if node is None:
                parent = found(json_text.parse(text), keys[:depth])
                assert parent is not None
                if not isinstance(parent.value, dict):
                    raise ValueError(f"{'.'.join(keys[:depth])} is not an object")
                text = json_text.added(text, parent, [] if depth == len(client.where) else {}, keys[depth])
        node = found(json_text.parse(text), (*client.where, event))
        assert node is not None
        if not isinstance(node.value, list):
            raise ValueError(f"{event} is not a list")
        text = json_text.added(text, node, entry)
    return switched_on(client, text)


def is_installed(client: Client, text: str) -> bool:
    """Exactly our entries are there already."""
    events = found(json_text.parse(text), client.where)
    lists = (events.members if events else {}).items()
    there = [(event, item.value) for event, node in lists for item in node.items if is_ours(item.value)]
    wanted = entries(client)
    return len(there) == len(wanted) and all(entry in there for entry in wanted)


def switched_on(client: Client, text: str) -> str:
    if not client.switch:
        return text
    switch, group = found(json_text.parse(text), client.switch), found(json_text.parse(text), client.switch[:-1])
    if switch is None and group is not None:
        return json_text.added(text, group, True, client.switch[-1])
    return json_text.replaced(text, switch, True) if switch is not None and switch.value is not True else text


def cleaned_text(client: Client, text: str) -> str:
    """The configuration without our entries; lists and objects that only held them go as well."""
    while True:
        root = json_text.parse(text)
        if not isinstance(root.value, dict):
            raise ValueError("not an object")
        events = found(root, client.where)
        ours = next(((lists, item) for lists in (events.members.values() if events else ()) for item in lists.items
                     if is_ours(item.value)), None)
        if ours is None:
            return text
        holder, item = ours
        hooks = item.members["hooks"]
        if all(is_our_hook(hook.value) for hook in hooks.items):
            text = json_text.removed(text, holder, item)
        else:  # somebody put a hook of their own beside ours
            text = json_text.removed(text, hooks, next(hook for hook in hooks.items if is_our_hook(hook.value)))
        for depth in range(len(client.where) + 1, 0, -1):
            keys = (*client.where, event_of(events, holder))[:depth]
            root = json_text.parse(text)
            node, parent = found(root, keys), found(root, keys[:-1])
            if node is not None and parent is not None and not node.value:
                text = json_text.removed(text, parent, node)


def event_of(events: json_text.Node | None, holder: json_text.Node) -> str:
    return next(name for name, node in (events.members if events else {}).items() if node is holder)


def is_ours(entry: Any) -> bool:
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    return any(map(is_our_hook, hooks)) if isinstance(hooks, list) else False


def is_our_hook(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and bool(OURS.search(command))


def found(node: json_text.Node | None, keys: tuple[str, ...]) -> json_text.Node | None:
    for key in keys:
        node = node.members.get(key) if node else None
    return node


def change(client: Client, *, install: bool) -> dict[str, Any]:
    """Installs or uninstalls; -> file, changed, backup. Replaced in one step, the old text kept beside it."""
    path = Path(os.path.realpath(client.path))  # dotfiles are often links
    backup = path.with_name(path.name + ".before-worktree-guard")
    try:
        before = path.read_bytes().decode() if path.exists() else ""
        after = installed_text(client, before) if install else undone(client, before, backup)
    except (ValueError, UnicodeDecodeError) as fault:
        raise UsageError(f"{path} cannot be changed safely: {fault}", code="bad-configuration",
                         hint=f"mend {path}, then wt {'install' if install else 'uninstall'} {client.name}") from None
    if after == before:
        return {"file": str(path), "changed": False, "backup": str(backup) if backup.exists() else None}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if install:
            backup.unlink(missing_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        if install and path.exists():  # as it was without us: an older installation of ours is nothing to go back to
            written(backup, cleaned_text(client, before) if before.strip() else before, mode)
        if not after:
            path.unlink()
            return {"file": str(path), "changed": True, "backup": None}
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        written(fresh, after, mode)
        fresh.replace(path)
    except OSError as fault:
        raise WtError(f"{path} cannot be written: {fault}", code="read-only", hint=f"wt install {client.name} again, when it can") from None
    return {"file": str(path), "changed": True, "backup": str(backup) if backup.exists() else None}


def written(path: Path, text: str, mode: int) -> None:
    """A file that nobody can read who could not read the one it stands for: it may hold keys."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(text.encode())


def undone(client: Client, text: str, backup: Path) -> str:
    """The text before the installation, to the byte, if nothing else has changed since; else the text without our entries.

    "" when the file was not there before.
    """
    if not text.strip():
        return text
    old = backup.read_bytes().decode() if backup.exists() else ""
    if installed_text(client, old) == text:
        return old
    return cleaned_text(client, text)
