"""One port a worktree, where the repository asks for it: what its script prints, else one of its range, else the system's choice."""
from __future__ import annotations

import os
import random
import re
import shlex
import socket
import sys
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from guard.edge.records import is_text
from guard.wt import bindings, git, steps, streams, trust, worktrees
from guard.wt.errors import WtError
from guard.wt.models import WorktreeRecord, now
from guard.wt.project_commands import project
from guard.wt.repository import Repository

HOST = "127.0.0.1"
SCRIPT_SECONDS, SCRIPT_BYTES = 10.0, 1024


def assign(repository: Repository, path: Path) -> int | None:
    """The port of a worktree, from now on in its record. Takes the lock only to write: a script may take its time."""
    while True:
        port = port_for(repository, path, worktrees.record_of(repository, path))
        if port is None:
            return None
        with repository.store.locked():
            record = worktrees.record_of(repository, path) or adopted(repository, path)
            if port not in taken_ports(repository, but=path):  # else another worktree has got it meanwhile
                if record.port != port:
                    repository.store.save(worktrees.record_path(repository, path), replace(record, port=port))
                return port


def port_for(repository: Repository, path: Path, record: WorktreeRecord | None) -> int | None:
    """The port that its record has, else one that it may have; None where the repository asks for none, or its script is not trusted.

    WtError when the recorded one is somebody else's by now, when there is none, and when the script gives a wrong answer.
    """
    asked = project(repository)
    if asked.ports is None:
        return None
    others = taken_ports(repository, but=path)
    if record and record.port and record.port not in others:  # after a restore, another worktree may have it
        return still_ours(record.port, path)
    if asked.ports.script:
        return from_script(repository, path, asked.ports.script, others) if trust.trusted(repository, asked) else None
    return in_range(asked.ports.numbers, others) if asked.ports.numbers else from_system(others)


def taken_ports(repository: Repository, but: Path | None = None) -> set[int]:
    """What is recorded for the worktrees that git lists, `but` one."""
    records = [worktrees.record_of(repository, entry.path) for entry in worktrees.listing(repository) if entry.path != but]
    return {record.port for record in records if record and record.port}


def forgotten(repository: Repository, path: Path) -> None:
    """The worktree shall get another port. Takes the lock."""
    with repository.store.locked():
        record = worktrees.record_of(repository, path)
        if record and record.port:
            repository.store.save(worktrees.record_path(repository, path), replace(record, port=None))


def adopted(repository: Repository, path: Path) -> WorktreeRecord:
    """A record for a worktree that somebody else made, which stays theirs."""
    branch = git.ask_or("", "symbolic-ref", "-q", "--short", "HEAD", cwd=path)
    return WorktreeRecord(path=str(path), owned=False, branch=branch if is_text(branch) else "", source="adopted", created_at=now(),
                          base=bindings.assumed_base(repository, branch))


# --- where one comes from --------------------------------------------------------------------------------------------

def from_script(repository: Repository, path: Path, script: str, others: set[int]) -> int:
    said = bytearray()

    def heard(line: bytes) -> None:
        said.extend(line)
        if len(said) > SCRIPT_BYTES:
            raise bad_port(script, f"printed more than {SCRIPT_BYTES} bytes")

    env = steps.environment(repository, path, None)
    status = streams.streamed(steps.shell(script), cwd=path, env=env, on_line=heard, timeout=SCRIPT_SECONDS, both=False)
    if status:
        raise bad_port(script, f"ended with status {status}")
    port = answered(bytes(said))
    if port is None:
        raise bad_port(script, f"printed {said.decode('utf-8', 'replace')!r}, which is not one port")
    if port in others:
        raise bad_port(script, f"printed {port}, which another worktree has")
    return port


def answered(said: bytes) -> int | None:
    """The one port in what a script printed: one line, a number from 1 to 65535, and nothing else."""
    fits = re.fullmatch(rb"[ \t]*([0-9]{1,5})[ \t]*\r?\n?", said)
    port = int(fits[1]) if fits else 0
    return port if 1 <= port <= 65535 else None


def bad_port(script: str, why: str) -> WtError:
    return WtError(f"the ports script {script!r} {why}", code="bad-port",
                   hint="it has to print one number from 1 to 65535; wt trust shows the file it is from, wt setup runs it again")


def in_range(numbers: range, others: set[int]) -> int:
    """A free one: from somewhere in the range upwards, then from its beginning."""
    start = random.randrange(len(numbers))
    for port in chain(numbers[start:], numbers[:start]):
        if port not in others and port_state(port) == "free":
            return port
    raise WtError(f"no port is free from {numbers[0]} to {numbers[-1]}", code="no-port",
                  hint="a wider ports.range in .worktree-guard.json, or wt remove a worktree that has one; wt status")


def from_system(others: set[int]) -> int:
    for _ in range(1000):
        with socket.socket() as one:
            one.bind((HOST, 0))
            port: int = one.getsockname()[1]
        if port not in others:
            return port
    raise WtError("the system has no port left that no worktree has", code="no-port", hint="wt status")


# --- is it free ------------------------------------------------------------------------------------------------------

def port_state(port: int) -> str:
    """`in use`, or `free` (also one that this user may not have)."""
    with socket.socket() as one:
        if sys.platform == "linux":  # not while old connections to it die away; elsewhere this would hide who listens
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, port))
        except PermissionError:
            return "in use" if os.name == "nt" else "free"
        except OSError:
            return "in use"
    return "free"


def still_ours(port: int, path: Path) -> int:
    """`port`, unless somebody else's process has it. The worktree's own server may be running."""
    if port_state(port) == "free":
        return port
    who = listeners(port)
    if any(Path(folder).is_relative_to(os.path.realpath(path)) for _, folder in who):
        return port
    whom = ", ".join(name for name, _ in who) or "a process that cannot be looked at"
    raise WtError(f"port {port} of {path} is taken by {whom}", code="port-taken", details={"port": port},
                  hint=f"end that, or wt setup {shlex.quote(str(path))} --new-port")


def listeners(port: int) -> list[tuple[str, str]]:
    """(name and number, current folder) of the processes that have it, as far as we may look."""
    import psutil  # 40 ms, and each process is looked at, when a port is taken

    found = []
    for process in psutil.process_iter():
        try:
            if any(one.laddr and one.laddr.port == port and not one.raddr for one in process.net_connections("tcp")):
                found.append((f"{process.name()} ({process.pid})", process.cwd()))
        except (psutil.Error, OSError):  # gone meanwhile, or somebody else's
            continue
    return found
