"""wt uninstall: takes our entries out of a client's configuration, and nothing else."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt.install import CLIENTS, change


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", nargs="+", choices=sorted(CLIENTS), metavar="CLIENT", help=" or ".join(sorted(CLIENTS)))


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> clients: [{client, file, changed, backup}]"""
    return {"clients": [{"client": name, **change(CLIENTS[name], install=False)} for name in args.client]}


def lines(data: dict[str, Any]) -> list[str]:
    return [f"{one['client']}: {'taken out of' if one['changed'] else 'not in'} {one['file']}"
            + (f". Restart {one['client']}." if one["changed"] else "") for one in data["clients"]]
