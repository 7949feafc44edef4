"""Every refusal as its reader sees it: three parts, golden, and the printed way out passes the guard."""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import ROOT, Answer, World

GOLDEN = ROOT / "tests/golden/refusals.txt"
NEW = "value = 2"

# rule -> (prepare, settings, tool, input, cwd, the call that the refusal tells to make: None where it is a command of the person)
CASES: dict[str, tuple[str, str, str, dict[str, Any], str, tuple[str, dict[str, Any]] | None]] = {
    "use-worktree-path": ("", "", "Edit", {"file_path": "{R}/src/app.py"}, "{W}", ("Edit", {"file_path": "{W}/src/app.py"})),
    "git-folder": ("", "", "Write", {"file_path": "{R}/.git/config"}, "{W}", ("Bash", {"command": "git -C {W} config x.y z"})),
    "other-worktree": ("", "", "Write", {"file_path": "{W2}/a.py"}, "{W}", ("Write", {"file_path": "{W}/a.py"})),
    "only-in-main": ('echo d > "$R/draft.md"', "", "Edit", {"file_path": "{R}/draft.md"}, "{W}", ("Write", {"file_path": "{W}/draft.md"})),
    "link-leaves-worktree": ('ln -s "$R/docs" "$W/shared"', "", "Write", {"file_path": "{W}/shared/a.md"}, "{W}",
                             ("Write", {"file_path": "{W}/docs/a.md"})),
    "submodule-missing": ("", "", "Write", {"file_path": "{R}/lib/f.c"}, "{W}",
                          ("Bash", {"command": "git -C {W} submodule update --init lib"})),
    "stale-worktree": ('rm -rf "$W"', "", "Write", {"file_path": "{R}/a.py"}, "{R}", ("Bash", {"command": "wt enter {W}"})),
    "wrong-branch": ('git -C "$R" switch -q -c elsewhere; git -C "$W" switch -q main', "", "Write", {"file_path": "{W}/a.py"}, "{W}",
                     ("Bash", {"command": "git -C {W} switch wt/x"})),
    "main-protected": ("", '{"mode": "protect"}', "Write", {"file_path": "{R}/a.py"}, "{R}", ("Bash", {"command": "wt enter x"})),
    "leave-first": ("", "", "EnterWorktree", {"path": "{W2}"}, "{R}", ("Bash", {"command": "wt leave"})),
    "server-in-main": ("", "", "mcp__serena__insert_text", {"relative_path": "src/app.py"}, "{W}",
                       ("mcp__serena__insert_text", {"relative_path": "{W}/src/app.py"})),
    "guard-settings": ("", "{}", "Write", {"file_path": "{R}/.worktree-guard.json"}, "{R}", None),
}
UNBOUND = ("main-protected", "guard-settings")


def answer_of(worlds: Any, rule: str) -> tuple[World, Answer]:
    prepare, settings, tool, given, cwd, _ = CASES[rule]
    world: World = worlds.fresh("beside", __import__("tests.worlds", fromlist=["make_world"]).make_world)
    if rule == "submodule-missing":
        world.sh('git init -q "$OUT/lib"; cd "$OUT/lib"; echo c > f.c; git add -A; git commit -qm lib\n'
                 'cd "$R"; git submodule -q add "$OUT/lib" lib; git commit -qm sub; git -C "$W" merge -q main')
    if settings:
        (world.R / ".worktree-guard.json").write_text(settings)
    if rule not in UNBOUND:
        world.bind()
    world.sh(prepare)
    return world, world.hook(tool, {"content": NEW, "old_string": "value = 1", "new_string": NEW, **given}, cwd)


@pytest.mark.parametrize("rule", CASES)
def test_a_refusal_has_three_parts_and_its_way_out_passes(worlds: Any, rule: str) -> None:
    world, answer = answer_of(worlds, rule)
    assert answer.rule == rule
    assert answer.kind == ("ask" if rule == "guard-settings" else "deny")
    _said, instead, end = answer.reason.split("\n")
    assert instead.startswith("Instead: ")
    assert end == f"(worktree-guard: {rule})"
    assert len(answer.reason) < 700, "some clients append the whole command; keep it short"
    way_out = CASES[rule][5]
    if way_out:
        tool, given = way_out
        assert world.hook(tool, {"content": NEW, "old_string": "value = 1", "new_string": NEW, **given}, "{W}").kind in ("allow", "note")


def test_the_texts_are_golden(worlds: Any) -> None:
    """WORKTREE_GUARD_UPDATE_GOLDEN=1 writes the file anew; read the difference before you commit it."""
    texts = []
    for rule in CASES:
        world, answer = answer_of(worlds, rule)
        text = answer.reason
        for name in ("W2", "OUT", "W", "R"):
            text = text.replace(world.paths[name], "{" + name + "}")
        texts.append(text)
    found = "\n\n".join(texts) + "\n"
    if os.environ.get("WORKTREE_GUARD_UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def test_every_rule_of_the_code_has_a_case() -> None:
    source = "".join(path.read_text() for path in Path(ROOT / "guard/core").rglob("*.py"))
    rules = set(re.findall(r'refuse\("([a-z-]+)"', source)) | set(re.findall(r'rule="([a-z-]+)"', source))
    assert rules == set(CASES)
