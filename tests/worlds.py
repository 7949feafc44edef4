"""Scratch repositories for tests: built by real git, each once a run, copied for each test.

A world is a main checkout R on `main`, a bound-to-be worktree W (branch wt/x, one commit of its own), another worktree
W2 (branch wt/y, one open edit) and a folder OUT outside. `World.hook` runs the real hook process; `World.wt` the real `wt`.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HOOK = ROOT / "hooks" / "pre_tool_use.py"
DATE = "2026-01-02T03:04:05+00:00"
SESSION = "0f0f0f0f-0000-4000-8000-000000000001"
RECIPE = r"""set -e
git init -q -b main "$R"; cd "$R"; mkdir -p src docs
printf '.env\nnode_modules\nbuild/\n.worktrees/\n' > .gitignore
echo 'value = 1' > src/app.py; echo 'u = 1' > src/util.py; echo n > docs/notes.md; echo '{}' > nb.ipynb
git add -A; git commit -qm base
git worktree add -q "$W" -b wt/x; git worktree add -q "$W2" -b wt/y
cd "$W"; echo nf > src/new_feature.py; git add -A; git commit -qm own
cd "$W2"; echo 'value = 3' > src/app.py
"""


@dataclass
class World:
    """`root` holds everything, a home of its own included. `session` is the id that calls carry."""

    root: Path
    R: Path
    W: Path
    W2: Path
    OUT: Path
    session: str = SESSION
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), "GIT_CONFIG_GLOBAL": str(self.root / "home/.gitconfig"),
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_AUTHOR_DATE": DATE,
                "GIT_COMMITTER_DATE": DATE, "CLAUDE_PROJECT_DIR": str(self.R), **self.extra}

    @property
    def paths(self) -> dict[str, str]:
        return {"R": str(self.R), "W": str(self.W), "W2": str(self.W2), "OUT": str(self.OUT)}

    @property
    def state(self) -> Path:
        common = self.git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=self.W if self.W.exists() else self.R)
        return Path(common) / "worktree-guard"

    def fill(self, value: Any) -> Any:
        """Replaces {R} {W} {W2} {OUT} in every text of a JSON value."""
        if isinstance(value, str):
            for name, path in self.paths.items():
                value = value.replace("{" + name + "}", path)
            return value
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {self.fill(key): self.fill(item) for key, item in value.items()}
        return value

    def sh(self, script: str, cwd: Path | None = None) -> str:
        done = subprocess.run(["bash", "-c", script], env={**self.env, **self.paths}, cwd=cwd or self.root, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def git(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(["git", *words], env=self.env, cwd=cwd or self.R, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"git {words}\n{done.stderr}"
        return done.stdout.rstrip("\n")

    # --- the product under test ------------------------------------------------------------------------------------

    def wt(self, *words: str, cwd: Path | None = None, given: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        stdin = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
        return subprocess.run([str(ROOT / "scripts/wt"), *words], env={**self.env, **env}, cwd=cwd or self.R, capture_output=True,
                              text=True, timeout=120, check=False, **stdin)

    def wt_json(self, *words: str, **more: Any) -> dict[str, Any]:
        """A command's `data`; it must succeed, with nothing on stderr."""
        done = self.wt(*words, "--json", **more)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        document = json.loads(done.stdout)
        assert document["ok"] is True
        return document["data"]

    def bind(self, *words: str) -> None:
        done = self.wt("enter", str(self.W), *words)
        assert done.returncode == 0, done.stderr

    def document(self, tool: str, given: Any, cwd: str | Path | None = None, **more: Any) -> dict[str, Any]:
        """A PreToolUse document as Claude Code 2.1.332 sends it."""
        return self.fill({"session_id": self.session, "transcript_path": "/t.jsonl", "cwd": str(cwd or self.R), "prompt_id": "p1",
                          "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given,
                          "tool_use_id": "toolu_1", **more})

    def hook(self, tool: str, given: Any, cwd: str | Path | None = None, client: str = "claude-code", **more: Any) -> Answer:
        document = self.document(tool, given, cwd, **more)
        if client == "zcode":
            document = {**document, "sessionId": document["session_id"], "hookEventName": "PreToolUse", "toolName": tool,
                        "toolInput": document["tool_input"], "riskLevel": "low", "turnId": "t1", "traceId": "r1"}
        return run_hook(json.dumps(document).encode(), self.env, self.fill(str(cwd or self.R)), client)


@dataclass
class Answer:
    """What the client would make of one hook run."""

    document: dict[str, Any]
    stderr: str

    @property
    def inner(self) -> dict[str, Any]:
        return self.document.get("hookSpecificOutput", {})

    @property
    def kind(self) -> str:
        if self.inner.get("permissionDecision"):
            return str(self.inner["permissionDecision"])
        return "rewrite" if "updatedInput" in self.inner else "note" if self.note else "allow"

    @property
    def reason(self) -> str:
        return str(self.inner.get("permissionDecisionReason", ""))

    @property
    def note(self) -> str:
        return str(self.inner.get("additionalContext", ""))

    @property
    def input(self) -> dict[str, Any] | None:
        return self.inner.get("updatedInput")

    @property
    def rule(self) -> str:
        return self.reason.rpartition("(worktree-guard: ")[2].rstrip(")") if self.reason else ""


def run_hook(stdin: bytes, env: dict[str, str], cwd: str | Path, client: str = "claude-code", python: str = sys.executable,
             hook: Path = HOOK) -> Answer:
    """The real process, as a client runs it. It must exit 0 and print nothing, or one document."""
    where = cwd if Path(cwd).is_dir() else env.get("HOME", "/")
    done = subprocess.run([python, "-I", "-S", str(hook), *(["--client", client] if client else [])], input=stdin, env=env, cwd=where,
                          capture_output=True, timeout=10, check=False)
    assert done.returncode == 0, done.stderr.decode()
    stderr = done.stderr.decode(errors="replace")
    if not done.stdout:
        return Answer({}, stderr)
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    assert document.get("hookSpecificOutput", {}).get("hookEventName") == "PreToolUse"
    return Answer(document, stderr)


def home_with_identity(root: Path) -> None:
    (root / "home").mkdir(parents=True, exist_ok=True)
    (root / "home/.gitconfig").write_text("[user]\n name=t\n email=t@example.invalid\n[init]\n defaultBranch=main\n[gc]\n auto=0\n"
                                          "[advice]\n detachedHead=false\n[protocol \"file\"]\n allow=always\n")


def make_world(root: Path, layout: str = "beside", name: str = "app") -> World:
    """Layouts: beside (W beside R), nested (W in R/.worktrees)."""
    main = root / name
    nested = main / ".worktrees"
    world = World(root, main, nested / "x" if layout == "nested" else root / f"{name}-wt/x",
                  nested / "y" if layout == "nested" else root / f"{name}-wt/y", root / "out")
    home_with_identity(root)
    world.OUT.mkdir()
    world.sh(RECIPE)
    return world
