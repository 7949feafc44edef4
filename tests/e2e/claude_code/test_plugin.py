"""The checkout as a plugin and as its own marketplace, by the client's own commands."""
from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.claude_code.client import binary, call, checkout, run, surroundings
from tests.worlds import ROOT, World


def claude(world: World, *words: str) -> str:
    done = subprocess.run([str(binary()), *words], env=surroundings(world), cwd=world.R, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.client
def test_the_client_finds_nothing_wrong_with_it(world: World) -> None:
    assert "Validation passed" in claude(world, "plugin", "validate", "--strict", str(ROOT))


@pytest.mark.client
def test_a_clone_is_its_own_marketplace(bound: World, tmp_path: Path) -> None:
    checkout(tmp_path / "clone")
    claude(bound, "plugin", "marketplace", "add", str(tmp_path / "clone"))
    claude(bound, "plugin", "install", "worktree-guard@worktree-guard")
    story = run(bound, [call("Write", file_path="{R}/installed.py", content="x\n")], "bypassPermissions", plugin=None)
    story.ok(0)
    assert (bound.W / "installed.py").exists() and not (bound.R / "installed.py").exists()


def test_the_manifests_are_equal() -> None:
    texts = {(ROOT / path).read_text() for path in ("plugin.json", ".claude-plugin/plugin.json", ".zcode-plugin/plugin.json")}
    assert len(texts) == 1
    assert f'version = "{json.loads(texts.pop())["version"]}"' in (ROOT / "pyproject.toml").read_text()


def test_every_registered_event_has_a_module() -> None:
    from guard.events import EVENTS
    hooks = json.loads((ROOT / "hooks/hooks.json").read_text())["hooks"]
    commands = [hook["command"] for entries in hooks.values() for entry in entries for hook in entry["hooks"]]
    named = {command.rpartition(" ")[2] for command in commands}
    by_wt = {"worktree_create", "worktree_remove"}  # hooks/run hands them to hooks/worktree
    assert named == {"pre_tool_use", *by_wt, *EVENTS}
    assert all(command.startswith('"${CLAUDE_PLUGIN_ROOT}/hooks/run" ') for command in commands)
    assert all((Path(ROOT) / "guard/events" / f"{event}.py").exists() for event in EVENTS)
