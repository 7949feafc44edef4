"""wt revoke-main: ends every leave to write the main checkout at once."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt.leaves import living_authorisations
from guard.wt.models import Overrides
from guard.wt.repository import Repository


def arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> ended: how many were still good"""
    store = repository.store
    with store.locked():
        ended = living_authorisations(store)
        store.save(store.path("override.json"), Overrides())
        store.note("revoke-main", ended=str(len(ended)))
    return {"ended": len(ended)}


def lines(data: dict[str, Any]) -> list[str]:
    return [f"Ended {data['ended']} authorisation(s)." if data["ended"] else "There was none to end."]
