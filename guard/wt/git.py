"""Every program `wt` runs, and git above all: machine forms, exit codes, a clean environment. Only streams.py starts others."""
from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from guard.edge.ask_git import LOCAL_VARIABLES
from guard.wt.causes import cause
from guard.wt.errors import MISSING, WtError

SLOW = 120.0  # seconds: making a worktree of a large repository
HALF_WRITTEN = re.compile(rb"failed to read .*commondir")  # a file that another `git worktree add` has opened and not yet written
PAUSES = (0.01, 0.03, 0.1, 0.3)  # seconds until the next try


class GitError(WtError):
    """git said no; `said` is its own first line."""


def program(words: Sequence[str], *, cwd: Path | str, given: bytes | None = None, env: Mapping[str, str] | None = None,
            timeout: float = 60.0) -> subprocess.CompletedProcess[bytes]:
    """One program to its end. WtError (127) when it is not there, WtError (1) when it takes longer than `timeout` seconds."""
    try:
        child = subprocess.Popen(list(words), cwd=cwd, env=dict(env) if env else None, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise cannot_start(words[0], cwd) from None
    try:
        out, err = child.communicate(given or b"", timeout=timeout)  # never our own stdin: it belongs to the caller
    except subprocess.TimeoutExpired:
        end(child, signal.SIGTERM)
        raise WtError(f"{' '.join(words[:4])} … took longer than {timeout:.0f} s", code="timeout", hint="wt status") from None
    except BaseException:
        end(child, signal.SIGINT)
        raise
    return subprocess.CompletedProcess(list(words), child.returncode, out, err)


def cannot_start(name: str, cwd: Path | str) -> WtError:
    if not Path(cwd).is_dir():
        return WtError(f"the folder {cwd} is gone", code="folder-gone", hint="cd to a folder that exists")
    return WtError(f"{name} is not installed", code="missing-program", status=MISSING,
                   hint=f"install {name}, or put its folder on PATH; then wt status")


def end(child: subprocess.Popen[bytes], mildly: signal.Signals) -> None:
    """Ends a program: asked first, so that git takes back what it has begun, then by force.

    Waits for its children as well: they hold its output open, and `git worktree add` leaves the writing of files to one.
    """
    for how in (mildly, getattr(signal, "SIGKILL", signal.SIGTERM)):
        child.send_signal(how)
        try:
            child.communicate(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue


def clean_environment() -> dict[str, str]:
    """The environment without what binds git to another repository (a git hook's GIT_DIR broke every call: pre-commit #300)."""
    kept = {name: value for name, value in os.environ.items() if name not in LOCAL_VARIABLES}
    return {**kept, "LC_ALL": "C.UTF-8", "LANGUAGE": "", "GIT_TERMINAL_PROMPT": "0"}  # LANGUAGE goes before LC_ALL in gettext


def attempt(*words: str, cwd: Path | str, timeout: float = 60.0, reads: bool = True, given: bytes | None = None,
            more: Mapping[str, str] | None = None, again: bool = True) -> subprocess.CompletedProcess[bytes]:
    """A git command whose exit status is the answer. `reads`: it takes no optional locks. `given`: its stdin. `more`: variables for it.

    `again`: where it stops at a worktree that another git is just making, it is run once more: it has changed nothing then.
    """
    env = {**clean_environment(), **(more or {})}
    if reads:
        env["GIT_OPTIONAL_LOCKS"] = "0"
    done = program(["git", *words], cwd=cwd, given=given, env=env, timeout=timeout)
    for pause in PAUSES if again else ():
        if not half_written(done):
            break
        time.sleep(pause)
        done = program(["git", *words], cwd=cwd, given=given, env=env, timeout=timeout)
    return done


def half_written(done: subprocess.CompletedProcess[bytes]) -> bool:
    return bool(done.returncode and HALF_WRITTEN.search(done.stderr))


def ask(*words: str, cwd: Path | str) -> str:
    """What a reading git command prints, the last newline cut. GitError where it fails."""
    return answer(attempt(*words, cwd=cwd), words)


def ask_or(default: str, *words: str, cwd: Path | str) -> str:
    """The same, and `default` where git has no answer."""
    done = attempt(*words, cwd=cwd)
    return default if done.returncode else os.fsdecode(done.stdout).removesuffix("\n")


def do(*words: str, cwd: Path | str, timeout: float = SLOW) -> str:
    """A git command that changes something. GitError where it fails."""
    return answer(attempt(*words, cwd=cwd, timeout=timeout, reads=False), words)


def holds(*words: str, cwd: Path | str) -> bool:
    """A git command that answers yes or no by its exit status."""
    return attempt(*words, cwd=cwd).returncode == 0


def answer(done: subprocess.CompletedProcess[bytes], words: Sequence[str]) -> str:
    """What a command printed, the last newline cut. GitError where it failed."""
    if done.returncode:
        told = lines(os.fsdecode(done.stderr).strip()) or [ended(done.returncode)]
        said = next((line for line in told if line.startswith(("fatal:", "error:"))), told[0])
        verb = next((word for word in words if not word.startswith("-") and "=" not in word), "")
        line, code, hint = cause("\n".join(told)) or (said, "git", "wt status shows how things stand")
        raise GitError(f"git {verb}: {line}", code=code, hint=hint, details={"stderr": "\n".join(told)[:2000]})
    return os.fsdecode(done.stdout).removesuffix("\n")


def lines(text: str) -> list[str]:
    """Those of an answer. str.splitlines() would also end one at U+2028, U+0085 and others, which names of branches and files may hold."""
    return text.removesuffix("\n").split("\n") if text else []


def ended(status: int) -> str:
    """How a program ended that has said nothing, in words."""
    return f"exit status {status}" if status >= 0 else f"ended by signal {-status} ({signal.strsignal(-status)})"
