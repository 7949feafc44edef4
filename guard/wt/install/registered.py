"""Which hook commands a client would run now: of its own configuration, and of a plugin."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.wt.install import OURS, Client, is_ours
from guard.wt.install.files import ROOT


@dataclass(frozen=True)
class Registration:
    """One PreToolUse command as the client runs it (by a shell), with the variables it is given. `source`: settings or plugin."""

    source: str
    command: str
    env: dict[str, str]


def registrations(client: Client) -> list[Registration]:
    """The PreToolUse commands of ours. An unreadable configuration has none."""
    found = [Registration("settings", hook["command"], {}) for hook in own_hooks(client)]
    plugin = plugin_folder(client)
    if plugin is not None:
        hooks = document(plugin / "hooks/hooks.json").get("hooks", {}).get("PreToolUse", [])
        env = {"CLAUDE_PLUGIN_ROOT": str(plugin)}
        found += [Registration("plugin", hook["command"], env) for entry in hooks for hook in entry["hooks"]]
    return found


def own_hooks(client: Client) -> list[dict[str, Any]]:
    group: Any = document(client.path)
    for key in client.where:
        group = group.get(key, {}) if isinstance(group, dict) else {}
    entries = group.get("PreToolUse", []) if isinstance(group, dict) else []
    ours = [entry for entry in entries if is_ours(entry)] if isinstance(entries, list) else []
    return [hook for entry in ours for hook in entry["hooks"] if OURS.search(str(hook.get("command")))]


def plugin_folder(client: Client) -> Path | None:
    """Where the client's enabled plugin of this name lies; None without one. (Claude Code 2.1.332: plugins/installed_plugins.json)"""
    enabled = document(client.path).get("enabledPlugins", {})
    names = [name for name, on in enabled.items() if on and name.startswith("worktree-guard@")] if isinstance(enabled, dict) else []
    if not names:
        return None
    listed = document(client.path.parent / "plugins/installed_plugins.json").get("plugins", {})
    places = [place.get("installPath") for name in names for place in listed.get(name, []) if isinstance(place, dict)]
    return next((Path(place) for place in places if place and (Path(place) / "hooks/hooks.json").exists()), ROOT)


def document(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
