"""The Python environment of `wt`: made once, for these requirements and this interpreter. Standard library only.

Run as a program it prints the interpreter to use, or says on stderr what to type and exits with 127.
"""
from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "WORKTREE_GUARD_SESSION", "ZCODE_SESSION_ID")  # an agent's shell: never install there


def requirements(extra: str = "") -> list[str]:
    """The project's dependencies, from pyproject.toml (tomllib is newer than Python 3.10)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = ["dependencies", extra] if extra else ["dependencies"]
    blocks = [re.search(rf"^{name} = \[\n(.*?)^\]", text, re.M | re.S) for name in names]
    return [word for block in blocks if block for word in re.findall(r'"([^"]+)"', block[1])]


def data_folder() -> Path:
    """The user's folder for this program's data; RuntimeError without a home. hooks/run and events/session_start.py look the same way."""
    for name, below in (("XDG_DATA_HOME", "."), ("LOCALAPPDATA", "."), ("HOME", ".local/share")):
        if os.environ.get(name):
            return Path(os.environ[name]) / below / "worktree-guard"
    raise RuntimeError("neither XDG_DATA_HOME nor LOCALAPPDATA nor HOME is set")


def folder() -> Path:
    mixed = "\n".join([*requirements(), sys.version, os.path.realpath(sys.executable)])
    return data_folder() / f"env-{hashlib.sha256(mixed.encode()).hexdigest()[:12]}"


def version() -> str:
    found = re.search(r'^VERSION = "([^"]+)"', (ROOT / "guard/__init__.py").read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def interpreter(env: Path) -> Path:
    return env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make(env: Path, wanted: list[str]) -> None:
    """Makes the environment; its file `ready` comes last, and nothing without it counts. OSError or CalledProcessError where it cannot."""
    env.parent.mkdir(parents=True, exist_ok=True)
    with locked(env.with_name(env.name + ".lock")):
        if (env / "ready").exists():
            return
        shutil.rmtree(env, ignore_errors=True)
        print("worktree-guard: setting up wt (once) …", file=sys.stderr, flush=True)
        installer(env, wanted)
        (env / "ready").touch()


def installer(env: Path, wanted: list[str]) -> None:
    """uv where it is, else venv, else a venv without pip filled by the pip that is there (Debian without python3-venv)."""
    uv = shutil.which("uv")
    if uv:
        call(uv, "venv", "-q", "--python", sys.executable, str(env))
        return call(uv, "pip", "install", "-q", "--python", str(interpreter(env)), *wanted)
    pip = ("-m", "pip", "install", "-q", "--disable-pip-version-check")
    try:
        call(sys.executable, "-m", "venv", str(env))
    except subprocess.CalledProcessError:
        shutil.rmtree(env, ignore_errors=True)
        call(sys.executable, "-m", "venv", "--without-pip", str(env))
        return call(sys.executable, "-m", "pip", "--python", str(interpreter(env)), *pip[2:], *wanted)
    return call(str(interpreter(env)), *pip, *wanted)


def call(*words: str) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


class locked:
    """One set-up at a time; a second one waits and finds it done. A lock file whose holder died frees itself."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.file = self.path.open("a")
        if os.name == "nt":
            import msvcrt
            msvcrt.locking(self.file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl
            fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.file.close()


def remember(name: str, text: str) -> None:
    """A line for hooks/run and the session's start, replaced in one step."""
    data_folder().mkdir(parents=True, exist_ok=True)
    fresh = data_folder() / f"{name}.{os.getpid()}.new"
    fresh.write_text(text + "\n", encoding="utf-8")
    fresh.replace(data_folder() / name)


def by_hand(env: str) -> str:
    """The same for a person to type."""
    wanted = " ".join(shlex.quote(word) for word in requirements())
    return f"python3 -m venv {env} && {env}/bin/pip install {wanted} && touch {env}/ready"


def main(words: list[str]) -> int:
    """`--detached`: started by a session's start, in nobody's way, so it may install."""
    try:
        env = folder()
        if not (env / "ready").exists():
            if "--detached" not in words and any(os.environ.get(name) for name in AGENTS):
                once = f"{shlex.quote(str(ROOT / 'scripts/wt'))} status"
                print(f"worktree-guard: wt is not set up yet. A person runs this once in a terminal: {once}", file=sys.stderr)
                return 127
            make(env, requirements())
        remember("python", sys.executable)
        remember("set-up", f"{version()} {ROOT}")
    except (OSError, RuntimeError, subprocess.CalledProcessError) as fault:
        said = getattr(fault, "stderr", b"") or b""
        print(f"worktree-guard: wt could not be set up: {fault}\n{said.decode(errors='replace')[-600:]}"
              f"Type: {by_hand(shlex.quote(str(ROOT / '.venv')))}", file=sys.stderr)
        return 127
    print(interpreter(env))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
