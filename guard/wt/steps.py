"""Running the repository's own commands in a worktree: one after another, heard while they run, once a person has accepted them."""
from __future__ import annotations

import os
import shlex
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from guard.wt import git, streams, trust
from guard.wt.errors import WtError
from guard.wt.models import WorktreeRecord
from guard.wt.project_commands import project
from guard.wt.repository import Repository
from guard.wt.terminal import Tell

TAIL = 20  # lines of output that an error repeats
NOT_ACCEPTED = "nobody has accepted them: wt trust shows them to a person"
AGAIN = {"setup": "mend it, then wt setup {name} runs all of it again", "teardown": "mend it, or wt remove {name} --skip-teardown"}
LATER = {"setup": "wt setup {name}", "teardown": "wt remove {name}"}


def set_up(repository: Repository, path: Path, record: WorktreeRecord | None, tell: Tell) -> dict[str, Any]:
    """Runs the setup commands. -> state (none, untrusted: nothing was run, done), commands[], said, warnings[]. WtError where one fails."""
    return _ran("setup", repository, path, record, tell)


def tear_down(repository: Repository, path: Path, record: WorktreeRecord | None, tell: Tell) -> dict[str, Any]:
    """The same before a worktree goes."""
    return _ran("teardown", repository, path, record, tell)


def _ran(kind: str, repository: Repository, path: Path, record: WorktreeRecord | None, tell: Tell) -> dict[str, Any]:
    """The commands are read once: what is run is what was looked up."""
    asked = project(repository)
    commands = asked.commands(kind)
    about = {"commands": commands, "warnings": list(asked.warnings)}
    if not commands:
        return {"state": "none", **about, "said": ""}
    if not trust.trusted(repository, asked):
        then = LATER[kind].format(name=shlex.quote(path.name))
        said = f"{len(commands)} {kind} command(s) not run, {NOT_ACCEPTED}; then {then}"
        return {"state": "untrusted", **about, "said": said}
    run_commands(commands, path, environment(repository, path, record), tell, kind)
    return {"state": "done", **about, "said": f"{len(commands)} {kind} command(s) done"}


def run_commands(commands: Sequence[str], path: Path, env: Mapping[str, str], tell: Tell, kind: str = "setup") -> None:
    """Each in the worktree, through the system's shell. WtError at the first that fails; those behind it are not run."""
    for number, command in enumerate(commands, 1):
        tell(f"{kind} {number} of {len(commands)}: {command}")
        last: deque[str] = deque(maxlen=TAIL)

        def heard(line: bytes, last: deque[str] = last) -> None:
            last.append(line.decode("utf-8", "replace").rstrip("\r\n"))
            tell(last[-1])

        status = streams.streamed(shell(command), cwd=path, env=env, on_line=heard)
        if status:
            raise failed(kind, command, status, list(last), path)


def failed(kind: str, command: str, status: int, output: list[str], path: Path) -> WtError:
    how = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
    said = "\n  ".join([f"the {kind} command {command!r} {how}{':' if output else ''}", *output])
    return WtError(said, code=f"{kind}-failed", hint=AGAIN[kind].format(name=shlex.quote(path.name)),
                   details={"command": command, "status": status, "output": output})


def shell(command: str, windows: bool = os.name == "nt", comspec: str = "") -> list[str] | str:
    """What runs a command text. On Windows a line of its own: cmd does not read quotes as other programs do."""
    if windows:
        return f'{comspec or os.environ.get("COMSPEC", "cmd.exe")} /d /s /c "{command}"'
    return ["sh", "-c", command]


def environment(repository: Repository, path: Path, record: WorktreeRecord | None) -> dict[str, str]:
    """Ours without another worktree's port, and where the command runs."""
    kept = {name: value for name, value in git.clean_environment().items() if name not in ("WT_PORT", "PASEO_WORKTREE_PORT")}
    branch = git.ask_or(record.branch if record else "", "symbolic-ref", "-q", "--short", "HEAD", cwd=path)
    return {**kept, **variables(str(repository.home), str(path), branch, record.port if record else None)}


def variables(source: str, path: str, branch: str, port: int | None) -> dict[str, str]:
    """What a command is told about its worktree; by the names of Paseo as well, whose scripts then work here."""
    told = {"WT_SOURCE_PATH": source, "WT_WORKTREE_PATH": path, "WT_BRANCH_NAME": branch, "PASEO_SOURCE_CHECKOUT_PATH": source,
            "PASEO_ROOT_PATH": source, "PASEO_WORKTREE_PATH": path, "PASEO_BRANCH_NAME": branch}
    return told if port is None else {**told, "WT_PORT": str(port), "PASEO_WORKTREE_PORT": str(port)}
