"""The real Claude Code, from npm, with this checkout as its plugin and a scripted model."""
from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guard.wt import environment
from tests.e2e.claude_code.model import Model, Turn, served, text_of
from tests.worlds import ROOT, World

VERSION = "2.1.332"
CACHE = ROOT / ".clients" / f"claude-code-{VERSION}"


def binary() -> Path:
    """The client's program, installed into a cache folder at the first call. Skips where it cannot be had, but never in CI."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with environment.locked(CACHE / "lock"):
        why = "" if programs() else installed()
    if not programs():
        if os.environ.get("CI"):
            pytest.fail(f"Claude Code {VERSION} could not be installed: {why}")
        pytest.skip(f"Claude Code {VERSION} could not be installed: {why}")
    return programs()[0]


def programs() -> list[Path]:
    return sorted(CACHE.glob("node_modules/@anthropic-ai/claude-code-*/claude"))


def installed() -> str:
    """Installs it; why not, where that fails."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not here"
    words = [npm, "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", f"@anthropic-ai/claude-code@{VERSION}"]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300).stderr[-300:]


def surroundings(world: World, url: str = "") -> dict[str, str]:
    """An isolated home, no account, no traffic but to the model."""
    return {"PATH": os.environ["PATH"], "HOME": str(world.root / "home"), "CLAUDE_CONFIG_DIR": str(world.root / "home/.claude"),
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "no-key", "NO_PROXY": "127.0.0.1", "IS_SANDBOX": "1", "TERM": "dumb",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **world.extra}


def checkout(place: Path) -> None:
    """A copy of what git has of this project, as a clone would bring it."""
    for name in ("guard", "hooks", "scripts", "skills", "commands", ".claude-plugin", ".zcode-plugin"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("plugin.json", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, place / name)


@dataclass
class Run:
    """What came of it: `results` of the calls in order, (is it an error, text); `notes` that hooks gave the model."""

    results: list[tuple[bool, str]]
    notes: str
    model: Model

    def ok(self, n: int) -> str:
        failed, text = self.results[n]
        assert not failed, f"call {n}: {text}"
        return text

    def refused(self, n: int) -> str:
        failed, text = self.results[n]
        assert failed, f"call {n} went through: {text}"
        return text


def run(world: World, turns: list[Turn], mode: str = "acceptEdits", *options: str, helpers: dict[str, list[Turn]] | None = None,
        plugin: Path | None = ROOT, cwd: Path | None = None) -> Run:
    """One session with these calls, one a turn."""
    model = Model({"": world.fill(turns), **world.fill(helpers or {})})
    with served(model):
        words = [str(binary()), "-p", "please do it", "--output-format", "stream-json", "--verbose", "--permission-mode", mode,
                 "--model", "claude-sonnet-4-5", *(["--plugin-dir", str(plugin)] if plugin else []), *options]
        done = subprocess.run(words, cwd=cwd or world.R, env=surroundings(world, model.url), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return told(model)


def told(model: Model, mark: str = "") -> Run:
    """The results and notes that one conversation's model saw."""
    results, notes = [], []
    for message in model.conversation(mark):
        for block in message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]:
            if block.get("type") == "tool_result":
                results.append((bool(block.get("is_error")), text_of(block.get("content"))))
            if block.get("type") == "text" and "additional context" in block["text"]:
                notes.append(block["text"])
    return Run(results, "\n".join(notes), model)


def call(tool: str, **given: Any) -> Turn:
    return [{"tool": tool, "input": given}]


def shell(command: str) -> Turn:
    return call("Bash", command=command, description="a step")
