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
    "leave-first": ("", "", "EnterWorktree", {"path": "{W2}"}, "{R}", ("Bash", {"command": "cd {W}"})),
    "server-in-main": ("", "", "mcp__serena__insert_text", {"relative_path": "src/app.py"}, "{W}",
                       ("mcp__serena__insert_text", {"relative_path": "{W}/src/app.py"})),
    "guard-settings": ("", "{}", "Write", {"file_path": "{R}/.worktree-guard.json"}, "{R}", None),
}
UNBOUND = ("main-protected", "guard-settings", "main-protected by shell", "other-worktree unbound", "push-to-protected unbound",
           "push-to-protected by a pull request unbound", "worktree-removal by find", "worktree-removal by clean")
# rule, perhaps with a word about the case -> (prepare, settings, command, cwd, what the answer is)
COMMANDS: dict[str, tuple[str, str, str, str, str]] = {
    "push-to-protected": ("", "", "git push origin HEAD:main", "{W}", "deny"),
    "push-to-protected unbound": ("", "", "git push", "{R}", "ask"),
    "force-push": ("", "", "git push -f origin wt/x", "{W}", "ask"),
    "worktree-branch": ("", "", "git branch -D wt/y", "{W}", "deny"),
    "worktree-branch on the remote": ("", "", "git push origin --delete wt/y", "{W}", "deny"),
    "worktree-branch moved": ("", "", "git update-ref refs/heads/wt/y HEAD", "{W}", "deny"),
    "worktree-branch, the stash": ("", "", "git update-ref -d refs/stash", "{W}", "deny"),
    "unmerged-branch": ('git -C "$W" switch -q -c idea; git -C "$W" commit -q --allow-empty -m i; git -C "$W" switch -q wt/x', "",
                        "git branch -D idea", "{W}", "ask"),
    "protected-branch": ('git -C "$R" switch -q -c other', "", "git checkout main", "{W}", "deny"),
    "protected-branch made anew": ("", "", "git checkout -B main HEAD", "{W}", "deny"),
    "protected-branch moved": ("", "", "git branch -f main HEAD", "{W}", "deny"),
    "protected-branch fetched over": ("", "", "git fetch origin main:main", "{W}", "deny"),
    "protected-branch pulled over": ("", "", "git pull upstream +main:main", "{W}", "deny"),
    "protected-branch made like the remote's": ("", "", "git branch -f main origin/main", "{W}", "deny"),
    "protected-branch synced": ("", "", "gh repo sync", "{W}", "deny"),
    "protected-branch deleted": ("", "", "git branch -D main", "{W}", "deny"),
    "protected-branch renamed": ("", "", "git branch -m main old", "{W}", "deny"),
    "push-to-protected by a pull request": ("", "", "gh pr merge 7 --squash", "{W}", "deny"),
    "push-to-protected by a pull request unbound": ("", "", "gh pr merge --auto", "{R}", "ask"),
    "main-checkout": ("", "", "cd {R} && git commit -am 'a message'", "{W}", "deny"),
    "main-checkout by gh": ("", "", "gh pr checkout 7", "{R}", "deny"),
    "main-checkout by gh, any of them": ("", "", 'gh pr checkout "$N"', "{R}", "deny"),
    "main-checkout takes the own branch": ("", "", "git -C {R} merge wt/x", "{W}", "deny"),
    "main-checkout is set to the own branch": ("", "", "git reset --hard wt/x", "{R}", "deny"),
    "main-checkout pulls": ("", "", "git pull", "{R}", "deny"),
    "main-checkout pulls, but only forward": ("", "", "git pull --ff-only", "{R}", "deny"),
    "main-checkout pulls of a remote": ("", "", "git pull upstream", "{R}", "deny"),
    "main-checkout pulls a branch": ("", "", "git pull upstream next", "{R}", "deny"),
    "main-checkout applies a file": ("", "", "cd {R}/src && git apply -p 1 ../x.patch", "{W}", "deny"),
    "main-checkout applies what flows in": ('touch "$R/x.patch"', "", "git am -3 < x.patch", "{R}", "deny"),
    "main-checkout takes a series": ("", "", "git am -3 patches/*.patch", "{R}", "deny"),
    "main-checkout, its message in a file": ("", "", "git commit -aF msg.txt --template={R}/t", "{R}", "deny"),
    "main-checkout, its message flows in": ("", "", "git commit -F - <<'EOF'\na message\nEOF", "{R}", "deny"),
    "main-checkout, its message flows in from afar": ("", "", "echo m | git -C {R} commit -F -", "{W}", "deny"),
    "main-checkout, in two lines": ("", "", "git -C {R} commit -m 'two\nlines'", "{R}", "deny"),
    "main-checkout goes on": ("", "", "git merge --continue", "{R}", "deny"),
    "main-checkout takes files away": ("", "", "git rm -q src/util.py", "{R}", "deny"),
    "main-checkout, while the own branch is moved": ("", "", "git rebase main wt/x", "{R}", "deny"),
    "main-checkout, with a name of its own": ("", "", "git -c user.name=me commit -m x", "{R}", "deny"),
    "main-checkout, what lies open": ("", "", "git restore .", "{R}", "deny"),
    "other-worktree takes the own branch": ("", "", "git -C {W2} rebase wt/x", "{W}", "deny"),
    "other-worktree, what lies open": ("", "", "git -C {W2} reset", "{W}", "deny"),
    "other-worktree by shell": ("", "", "git -C {W2} add -A", "{W}", "deny"),
    "other-worktree unbound": ("", "", "git -C {W2} add -A", "{R}", "deny"),
    "main-protected by shell": ("", '{"mode": "protect"}', "git commit -am x", "{R}", "deny"),
    "wrong-branch by shell": ('git -C "$R" switch -q -c elsewhere; git -C "$W" switch -q main', "", "git commit -am x", "{W}", "deny"),
    "stale-worktree by shell": ('rm -rf "$W"', "", "git commit -am x", "{R}", "deny"),
    "unknown-place": ("", "", 'git -C "$SOMEWHERE" commit -m x', "{W}", "ask"),
    "merge-of-others": ("", "", "git merge wt/y", "{W}", "ask"),
    "worktree-removal": ("", "", "git worktree remove --force {W2}", "{W}", "deny"),
    "worktree-removal, forgotten": ('mv "$W2" "$W2.away"', "", "git worktree prune", "{W}", "ask"),
    "shared-config": ("", "", "git config core.hooksPath /dev/null", "{W}", "deny"),
    "shared-config, asked": ("", "", "git config gc.auto 0", "{W}", "ask"),
    "discard": ('echo mine > "$W/src/app.py"', "", "git reset --hard", "{W}", "ask"),
    "discard from afar": ('echo mine > "$W/src/app.py"', "", "git -C {W} reset --hard", "{R}", "ask"),
    "discard of untracked files": ('echo u > "$W/u.txt"', "", "git clean -fd", "{W}", "ask"),
    "discard of commits": ('git -C "$W" commit -q --allow-empty -m own', "", "git reset --keep HEAD~1", "{W}", "ask"),
    "discard of a stash entry": ('echo mine > "$W/src/app.py"; git -C "$W" stash -q', "", "git stash drop", "{W}", "ask"),
    "stash-of-others": ('git -C "$W2" stash -q', "", "git stash pop", "{W}", "deny"),
    "use-worktree-path by shell": ("", "", "echo x > {R}/src/app.py", "{W}", "deny"),
    "use-worktree-path from the main checkout": ("", "", "echo x > src/app.py", "{R}", "deny"),
    "use-worktree-path from a folder of it": ("", "", "rm app.py", "{R}/src", "deny"),
    "use-worktree-path from elsewhere": ("", "", "cd .. && V={R} && rm $V/src/app.py", "{W}", "deny"),
    "use-worktree-path deleted": ("", "", "rm {R}/src/app.py", "{W}", "deny"),
    "use-worktree-path for each": ('echo src/app.py > "$R/docs/list"', "", "xargs rm < docs/list", "{R}", "deny"),
    "use-worktree-path for each of many": ("", "", "git ls-files | xargs rm", "{R}", "deny"),
    "use-worktree-path of what flows in": ("", "", "echo x | tee {R}/src/app.py", "{W}", "deny"),
    "use-worktree-path of a here-document": ("", "", "tee src/app.py {R}/src/util.py <<'EOF'\nx\nEOF", "{R}", "deny"),
    "only-in-main by shell": ('echo d > "$R/draft.md"', "", "sed -i s/d/e/ {R}/draft.md", "{W}", "deny"),
    "git-folder by shell": ("", "", "printf x | tee -a {R}/.git/config", "{W}", "deny"),
    "guard-settings by shell": ("", "{}", "echo '{}' > {R}/.worktree-guard.json", "{W}", "ask"),
    "worktree-removal by find": ('git -C "$R" worktree add -q .worktrees/z -b wt/z', "", "find . -mindepth 1 -delete", "{R}", "deny"),
    "worktree-removal by clean": ('git -C "$R" worktree add -q .worktrees/z -b wt/z', "", "git clean -ffdx -e '*.o'", "{R}", "deny"),
    "discard of ignored files": ('echo s > "$W/.env"', "", "git clean -fdx -e '*.o'", "{W}", "ask"),
    "worktree-removal by rm": ("", "", "rm -rf {W2}", "{W}", "deny"),
    "history": ("", "", "git reflog expire --expire=now --all", "{W}", "deny"),
    "history rewritten": ("", "", "git filter-branch -f -- --all", "{W}", "deny"),
    "skipped-hooks": ("", "", "git commit --no-verify -m x", "{W}", "ask"),
    "persons-leave": ("", "", "wt authorize-main --reason 'I need it'", "{W}", "ask"),
    "persons-leave of another's binding": ("", "", "wt leave", "{W}", "ask"),
    "unreadable": ("", "", "git push origin main 'not closed", "{W}", "ask"),
    "unresolved": ("", '{"unresolved": "deny"}', 'git push origin "$BRANCH"', "{W}", "deny"),
}


def rule_of(name: str) -> str:
    return name.partition(" ")[0].rstrip(",")


def answer_of(worlds: Any, rule: str) -> tuple[World, Answer]:
    if rule in CASES:
        prepare, settings, tool, given, cwd, _ = CASES[rule]
    else:
        prepare, settings, command, cwd, _ = COMMANDS[rule]
        tool, given = "Bash", {"command": command}
    world: World = worlds.fresh("beside", __import__("tests.worlds", fromlist=["make_world"]).make_world)
    if rule == "submodule-missing":
        world.sh('git init -q "$OUT/lib"; cd "$OUT/lib"; echo c > f.c; git add -A; git commit -qm lib\n'
                 'cd "$R"; git submodule -q add "$OUT/lib" lib; git commit -qm sub; git -C "$W" merge -q main')
    if settings:
        (world.R / ".worktree-guard.json").write_text(settings)
    if rule not in UNBOUND:
        world.bind()
    world.sh(prepare)
    more = {} if tool == "Bash" else {"content": NEW, "old_string": "value = 1", "new_string": NEW}
    return world, world.hook(tool, {**more, **given}, cwd)


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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_refused_command_has_three_parts_and_the_command_it_names_passes(worlds: Any, name: str) -> None:
    world, answer = answer_of(worlds, name)
    assert (answer.kind, answer.rule) == (COMMANDS[name][4], rule_of(name))
    said, instead, end = answer.reason.split("\n")
    if name == "guard-settings by shell":
        return
    assert (" refused: " if answer.kind == "deny" else " needs a person's word: ") in said
    assert end == f"(worktree-guard: {rule_of(name)})"
    assert len(answer.reason) < 700
    remedy, _, why = instead.removeprefix("Instead: ").partition("  (")
    assert not why or why.endswith(")")
    folder, then, without = remedy.partition(", then the same command")
    if then and not without:
        remedy = f"{folder} && {COMMANDS[name][2]}"
    if rule_of(name) in ("only-in-main", "git-folder", "guard-settings"):
        return  # their ways out are tried above, for the file tools
    if remedy.endswith(", the same file in your worktree."):
        return  # by a way that nobody here can spell: through a variable, through `..`
    if remedy.startswith(("git ", "gh ", "wt ", "cd ", "echo ", "rm ", "tee ", "find ")):
        assert world.hook("Bash", {"command": remedy.replace("NAME", "x2")}, COMMANDS[name][3]).kind in ("allow", "note"), remedy
    else:
        assert rule_of(name) in ("unreadable", "unresolved", "persons-leave"), "any other refusal names a command"


def test_the_texts_are_golden(worlds: Any) -> None:
    """WORKTREE_GUARD_UPDATE_GOLDEN=1 writes the file anew; read the difference before you commit it."""
    texts = []
    for rule in [*CASES, *COMMANDS]:
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
    rules = set(re.findall(r'(?:refuse|question|choose)\((?:home\(facts\)[\w.]+, )?"([a-z-]+)"', source))
    rules |= set(re.findall(r'(?:rule=|RULE = )"([a-z-]+)"', source))
    assert rules == {rule_of(name) for name in (*CASES, *COMMANDS)}
