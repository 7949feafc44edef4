"""wt install: registers the hooks in a client's own configuration."""
from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import Any

from guard.wt import environment
from guard.wt.install import CLIENTS, change

HELP = "register the hooks with a client, for this user"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", nargs="+", choices=sorted(CLIENTS), metavar="CLIENT", help=" or ".join(sorted(CLIENTS)))


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> clients: [{client, file, changed, backup}]. Records the interpreter, so that the hooks need not look along PATH."""
    with contextlib.suppress(OSError, RuntimeError):
        environment.remember("python", os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    return {"clients": [{"client": name, **change(CLIENTS[name], install=True)} for name in args.client]}


def lines(data: dict[str, Any]) -> list[str]:
    said = []
    for one in data["clients"]:
        said.append(f"{one['client']}: {'registered in' if one['changed'] else 'already registered in'} {one['file']}")
        if one["changed"] and one["backup"]:
            said.append(f"  the file as it was: {one['backup']}")
        if one["changed"]:
            said.append(f"  Restart {one['client']}: it reads its hooks when it starts. Then: wt doctor --client {one['client']}")
    return said
