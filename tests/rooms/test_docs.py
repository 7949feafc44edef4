"""What the documents say is what the code does: each table is compared with the code it tells of."""
from __future__ import annotations

import json
import os
import re
from typing import Any

import msgspec

from guard.clients import CLIENTS
from guard.core.files import TABLE
from guard.core.model import Settings
from guard.edge.settings import NESTED
from guard.wt import models
from guard.wt.cli import COMMANDS
from tests.e2e.test_refusals import CASES, rule_of
from tests.e2e.test_refusals import COMMANDS as REFUSED
from tests.rooms.test_imports import TABLE as ROOMS
from tests.worlds import ROOT

README = (ROOT / "README.md").read_text()
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()


def table(name: str) -> list[list[str]]:
    """The body rows of a marked table, as cells."""
    block = README.split(f"<!-- table: {name} -->")[1].split("<!-- end -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block.strip().splitlines()[2:]]


def test_the_table_of_places_is_the_code_s() -> None:
    assert [row[0] for row in table("places")] == [row[0] for row in TABLE]
    for cells, (_, _, reads, writes) in zip(table("places"), TABLE, strict=True):
        passing = ("passes", "pass_unless_settings", "pass_authorised", "move", "unresolved")
        assert ("refused" in cells[2]) == (writes.__name__ not in passing), cells
        assert ("note" in cells[1]) == (reads.__name__ == "note_main_copy"), cells
        assert ("moved" in cells[1]) == (reads.__name__ == "move"), cells


def test_every_rule_has_a_row() -> None:
    rows = {row[0].strip("`"): row[1] for row in table("rules")}
    assert set(rows) == {rule_of(name) for name in (*CASES, *REFUSED)}
    for name, (*_, answer) in REFUSED.items():
        assert answer == "deny" or "(asks)" in rows[rule_of(name)] or (rule_of(name), name[-8:]) == ("push-to-protected", " unbound"), name


def test_every_setting_has_a_row_with_its_default() -> None:
    named = {row[0].strip("`"): json.loads(row[1].strip("`")) for row in table("settings")}
    hooks = {f"{NESTED[name]}.{name}" if name in NESTED else name: list(value) if isinstance(value, tuple) else value
             for name, value in Settings.DEFAULTS.items()}
    all_of_them = msgspec.to_builtins(models.Settings()) | {"ports": {}}
    ours = {name: value for name, value in all_of_them.items() if name != "sync"}
    assert named == {**ours, **{f"sync.{name}": value for name, value in all_of_them["sync"].items()}}
    assert hooks.items() <= named.items()


def test_the_schema_for_editors_is_the_models() -> None:
    """`"$schema"` in a settings file names it. WORKTREE_GUARD_UPDATE_GOLDEN=1 writes it anew."""
    file, schema = ROOT / "docs/worktree-guard.schema.json", msgspec.json.schema(models.Settings)
    if os.environ.get("WORKTREE_GUARD_UPDATE_GOLDEN") == "1":
        file.write_text(json.dumps(schema, indent=1) + "\n")
    assert told(json.loads(file.read_text())) == told(schema)


def told(schema: dict[str, Any]) -> dict[str, list[Any]]:
    """What an editor shows of each setting; how a schema words its types differs from one msgspec to the next."""
    properties = schema["$defs"]["Settings"]["properties"]
    return {name: [one.get("description"), one.get("default"), one.get("enum")] for name, one in properties.items()}


def test_every_command_has_a_row() -> None:
    assert set(re.findall(r"^\| `wt ([a-z-]+)", README, re.M)) == set(COMMANDS)


def test_the_rooms_are_the_architecture_s() -> None:
    named = re.findall(r"^\| (guard[.\w]*|hooks/\w+\.py) \|", ARCHITECTURE, re.M)
    assert {name.replace("/", ".").removesuffix(".py") for name in named} == {*ROOMS, "guard.wt"} - {"guard"}


def test_places_named_in_find_a_change_exist() -> None:
    tail = ARCHITECTURE.split("## Find a change")[1]
    for path in re.findall(r"`((?:guard|tests)/[\w/.]+)`", tail):
        assert (ROOT / path).exists(), path
    assert ARCHITECTURE.count("\n") <= 100


def test_the_readme_s_commands_are_there() -> None:
    for script in re.findall(r"^\./(scripts/\w+)", README, re.M):
        assert (ROOT / script).stat().st_mode & 0o100, script
    assert all(name in README.lower().replace(" ", "-") for name in CLIENTS)


def test_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"
