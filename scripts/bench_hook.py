"""What the hook costs a tool call, as ratios to the bare interpreter: `python3 -I -S -c pass`, interleaved in one run.

    python3 scripts/bench_hook.py [--runs 60] [--only TEXT] [--json] [--python PATH]

Each row's runs alternate with the bare interpreter's, so that a change in the machine's speed meets both. Printed are medians of CPU time
(user + system of the one process, as the system accounts it) and wall time as ratios, and peak memory (VmHWM, Linux) as a ratio.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOOK = str(ROOT / "hooks" / "pre_tool_use.py")
SESSION = "0f0f0f0f-0000-4000-8000-000000000001"
# Ends the hook as ever, but says the process's peak memory first. `_exit` is how the hook leaves.
PEAK = ("import posix, sys; leave = posix._exit\n"
        "def told(status):\n"
        "    fd = posix.open('/proc/self/status', 0); text = posix.read(fd, 65536).decode()\n"
        "    posix.write(2, text.partition('VmHWM:')[2].split()[0].encode()); leave(status)\n"
        "posix._exit = told\n"
        "if len(sys.argv) > 1:\n"
        "    __file__ = sys.argv[1]; sys.argv[:] = sys.argv[1:]; exec(compile(open(__file__).read(), __file__, 'exec'))\n"
        "else:\n    told(0)\n")


@dataclass(frozen=True)
class Row:
    """One kind of call and the CPU ratio it may cost. `event`: through hooks/run, as clients register it."""

    name: str
    budget: float
    document: dict[str, object]
    event: str = ""


def call(tool: str, given: dict[str, object], cwd: Path) -> dict[str, object]:
    return {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": str(cwd), "prompt_id": "p", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}


COMMIT = """git add -A && git commit -m "$(cat <<'EOF'
fix: never run git push --force origin main

It also said `git worktree remove --force`.
EOF
)"
"""


def shell(command: str, cwd: Path) -> dict[str, object]:
    return call("Bash", {"command": command, "description": "d"}, cwd)


def event(name: str, cwd: Path, **more: object) -> dict[str, object]:
    return {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": str(cwd), "hook_event_name": name, **more}


def rows(free: Path, main: Path, own: Path) -> list[Row]:
    """`free` has nothing bound; `main` is bound to `own`, among 1,000 worktrees and 1,000 sessions."""
    text = "x" * 8000
    edit: dict[str, object] = {"old_string": text[:4000], "new_string": text[4000:]}
    return [
        Row("a tool that is not ours", 1.2, call("WebFetch", {"url": "https://example.org", "prompt": text}, main)),
        Row("nothing bound, write", 1.3, call("Write", {"file_path": f"{free}/src/new.py", "content": text}, free)),
        Row("bound, write in W", 1.4, call("Write", {"file_path": f"{own}/src/new.py", "content": text}, own)),
        Row("bound, read moved", 1.4, call("Read", {"file_path": f"{main}/src/app.py"}, own)),
        Row("bound, write moved", 1.4, call("Write", {"file_path": f"{main}/src/new.py", "content": text}, main)),
        Row("bound, search moved", 1.4, call("Grep", {"pattern": "x"}, main)),
        Row("bound, edit refused", 1.4, call("Edit", {"file_path": f"{main}/src/app.py", **edit}, own)),
        Row("write into .git refused", 1.4, call("Write", {"file_path": f"{main}/.git/config", "content": text}, main)),
        Row("shell, passed", 1.6, shell("cd src && ls -la | grep app && git status --short", own)),
        Row("shell, commit by heredoc", 1.6, shell(COMMIT, own)),
        Row("shell, push refused", 1.6, shell("git push origin HEAD:main", own)),
        Row("shell, commit in main refused", 1.6, shell(f"cd {main} && git commit -am x", own)),
        Row("shell, nothing bound", 1.6, shell("git add -A && git commit -qm x", free)),
        Row("shell, 100 KB heredoc", 1.6, shell("cat > notes.md <<'EOF'\n" + "a line with $x and `y` in it\n" * 3500 + "EOF\n", own)),
        Row("shell, 100 KB python -c", 3.0, shell("python3 -c '" + "print(x)\n" * 11000 + "'", own)),
        Row("shell, 100 KB of commands", 3.0, shell("git add a; echo b; " * 5200, own)),
        Row("shell, 100 KB of quotes", 3.0, shell("echo " + "\"a $b\" 'c' " * 8000, own)),
        Row("shell, 100 KB of words", 3.0, shell("git add " + "src/file " * 11000, own)),
        Row("shell, write refused", 1.6, shell(f"echo x > {main}/src/app.py", own)),
        Row("shell, write in W", 1.6, shell("sed -i s/1/2/ src/app.py && cp src/app.py src/b.py", own)),
        Row("shell, discard (git asked)", 2.5, shell("git reset --hard", own)),
        Row("shell, clean (git asked)", 2.5, shell("git clean -fd", own)),
        Row("shell, bare push (git asked)", 2.5, shell("git push", own)),
        Row("shell, alias (git asked)", 2.5, shell("git st", own)),
        Row("through sh: write in W", 1.6, call("Write", {"file_path": f"{own}/src/new.py", "content": text}, own), "pre_tool_use"),
        Row("session start", 1.8, event("SessionStart", own, source="startup"), "session_start"),
        Row("helper's start", 1.8, event("SubagentStart", own, agent_id="a1"), "subagent_start"),
        Row("git asked (ignored file)", 2.5, call("Write", {"file_path": f"{main}/.env", "content": text}, main)),
        Row("session end", 1.8, event("SessionEnd", own, reason="other"), "session_end"),  # the last: it ends the binding
    ]


def git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True,
                   env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"})


def repository(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("value = 1\n")
    (folder / ".gitignore").write_text(".env\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qm", "base")
    (folder / ".env").write_text("PORT=1\n")
    return folder


def crowd(main: Path, own: Path) -> None:
    """1,000 worktrees and 1,000 session bindings beside the one that counts, made as files: git itself would take minutes."""
    common = main / ".git"
    for n in range(1000):
        admin = common / "worktrees" / f"many-{n}"
        admin.mkdir(parents=True)
        (admin / "HEAD").write_text("ref: refs/heads/main\n")
        (admin / "commondir").write_text("../..\n")
        (admin / "gitdir").write_text(f"/nowhere/many-{n}/.git\n")
    sessions = common / "worktree-guard" / "sessions"
    sessions.mkdir(parents=True)
    record = {"version": 1, "active": True, "path": str(own), "main": str(main), "branch": "wt/x", "base": "main",
              "protected": ["main", "master"], "entered_at": "2026-01-01T00:00:00Z", "by": "bench"}
    for n in range(1000):
        (sessions / f"other-{n}.json").write_text(json.dumps({**record, "session": f"other-{n}"}))
    (sessions / f"{SESSION}.json").write_text(json.dumps({**record, "session": SESSION}))
    (common / "worktree-guard" / "state.json").write_text(json.dumps({**record, "session": SESSION}))


def once(words: list[str], stdin: int, silent: int) -> tuple[float, float]:
    """(CPU seconds, wall seconds) of one process, from start to its end."""
    begin = time.perf_counter()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, silent, 1), (os.POSIX_SPAWN_DUP2, silent, 2)])
    _, _, used = os.wait4(pid, 0)
    return used.ru_utime + used.ru_stime, time.perf_counter() - begin


def measured(row: Row, runs: int, python: str, scratch: Path) -> dict[str, float]:
    bare = [python, "-I", "-S", "-c", "pass"]
    hook = [python, "-I", "-S", HOOK, "--client", "claude-code"]
    if row.event:
        hook = ["/bin/sh", str(ROOT / "hooks/run"), row.event, "--client", "claude-code"]
    given = scratch / "document.json"
    given.write_text(json.dumps(row.document))
    silent = os.open(os.devnull, os.O_RDWR)
    found: dict[str, list[tuple[float, float]]] = {"bare": [], "hook": []}
    for n in range(runs + 3):
        for name, words in (("bare", bare), ("hook", hook)):
            stdin = os.open(given, os.O_RDONLY)
            spent = once(words, stdin, silent)
            os.close(stdin)
            if n >= 3:  # the first runs write bytecode and warm the disk
                found[name].append(spent)
    os.close(silent)

    def middle(name: str, pick: Callable[[tuple[float, float]], float]) -> float:
        return statistics.median(map(pick, found[name]))

    bare_cpu = middle("bare", lambda t: t[0])
    return {"bare_ms": bare_cpu * 1000, "cpu": middle("hook", lambda t: t[0]) / bare_cpu,
            "wall": middle("hook", lambda t: t[1]) / middle("bare", lambda t: t[1]),
            "memory": 1.0 if row.event else peak(hook[3:], given, python) / peak([], given, python)}


def peak(words: list[str], given: Path, python: str) -> float:
    """Peak resident memory in kB, told by the process itself; 1 where /proc does not tell."""
    if not Path("/proc/self/status").exists():
        return 1.0
    with given.open("rb") as stdin:
        done = subprocess.run([python, "-I", "-S", "-c", PEAK, *words], stdin=stdin, capture_output=True, check=True)
    return float(done.stderr.split()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60, help="runs of each command a row (at least 40)")
    parser.add_argument("--only", default="", help="only rows whose name has this text")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--python", default=getattr(sys, "_base_executable", sys.executable), help="the interpreter to measure")
    chosen = parser.parse_args()
    scratch = Path(os.path.realpath(tempfile.mkdtemp(prefix="wg-bench-")))
    try:
        free, main_checkout = repository(scratch / "free"), repository(scratch / "app")
        own = scratch / "app-wt" / "x"
        record = scratch / "data/worktree-guard/python"  # what hooks/run takes: the interpreter that is measured
        record.parent.mkdir(parents=True)
        record.write_text(chosen.python + "\n")
        os.environ["XDG_DATA_HOME"] = str(scratch / "data")
        git(main_checkout, "worktree", "add", "-q", "-b", "wt/x", str(own))
        crowd(main_checkout, own)
        results = {row.name: {**measured(row, max(40, chosen.runs), chosen.python, scratch), "budget": row.budget}
                   for row in rows(free, main_checkout, own) if chosen.only in row.name}
    finally:
        shutil.rmtree(scratch)
    if chosen.json:
        print(json.dumps(results, indent=1))
        return 0
    print(f"{'call':28} {'CPU':>6} {'at most':>8} {'wall':>6} {'memory':>7}")
    for name, found in results.items():
        over = "  over" if found["cpu"] > found["budget"] else ""
        print(f"{name:28} {found['cpu']:6.2f} {found['budget']:8.2f} {found['wall']:6.2f} {found['memory']:7.2f}{over}")
    print(f"bare interpreter: {statistics.median(f['bare_ms'] for f in results.values()):.1f} ms CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
