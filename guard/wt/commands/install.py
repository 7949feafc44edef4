"""wt install: registers the hooks in a client's own configuration."""
from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import sys
from typing import Any

from guard.wt import environment
from guard.wt.install import CLIENTS, change
from guard.wt.install.files import ROOT


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", nargs="+", choices=sorted(CLIENTS), metavar="CLIENT", help=" or ".join(sorted(CLIENTS)))


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> clients: [{client, file, changed, backup}], link. Records the interpreter, so that the hooks need not look along PATH."""
    with contextlib.suppress(OSError, RuntimeError):
        environment.remember("python", os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    return {"clients": [{"client": name, **change(CLIENTS[name], install=True)} for name in args.client], "link": link_to_us()}


def lines(data: dict[str, Any]) -> list[str]:
    said = []
    for one in data["clients"]:
        said.append(f"{one['client']}: {'registered in' if one['changed'] else 'already registered in'} {one['file']}")
        if one["changed"] and one["backup"]:
            said.append(f"  the file as it was: {one['backup']}")
        if one["changed"]:
            said.append(f"  Restart {one['client']}: it reads its hooks when it starts. Then: wt doctor --client {one['client']}")
    if data["link"]:
        said.append(f"To have wt on your PATH: {data['link']}")
    return said


def link_to_us() -> str | None:
    """The command that puts `wt` on the person's PATH, when it is not there. The name is ours unless somebody else has it."""
    script = ROOT / "scripts/wt"
    if not script.exists() or os.path.realpath(shutil.which("wt") or shutil.which("worktree-guard") or "") in (
            str(script), str(ROOT / "scripts/worktree-guard")):
        return None
    name = "worktree-guard" if shutil.which("wt") else "wt"
    return f"mkdir -p ~/.local/bin && ln -s {shlex.quote(str(script))} ~/.local/bin/{name}"
