"""The README's table of commands, row by row: what it says is what the hook answers."""
from __future__ import annotations

import pytest

from tests.rooms.test_docs import table
from tests.worlds import World

# row of the table: (command, cwd, what the hook answers)
ROWS: dict[str, list[tuple[str, str, str]]] = {
    "push to a protected branch, in any spelling": [("git push origin HEAD:main", "{W}", "deny"), ("git push origin :main", "{W}", "deny")],
    "push of your own branch": [("git push -u origin wt/x", "{W}", "allow"), ("git push -f origin wt/x", "{W}", "ask"),
                                ("git push --force-with-lease origin wt/x", "{W}", "allow")],
    "commit, merge, reset, … in the main checkout, while you are bound to a worktree": [
        ("git commit -am x", "{R}", "deny"), ("git -C {R} merge wt/x", "{W}", "deny"), ("cd {R} && git reset --hard", "{W}", "deny")],
    "the same in another worktree": [("git -C {W2} commit -am x", "{W}", "deny")],
    "the same in a folder that cannot be known": [('git -C "$X" commit -m x', "{W}", "ask")],
    "checking out, moving or deleting a protected branch from a worktree": [
        ("git checkout main", "{W}", "deny"), ("git branch -f main HEAD", "{W}", "deny"), ("git branch -D main", "{W}", "deny")],
    "`git checkout -b x main`, `git checkout main -- file`, merge or rebase of main": [
        ("git checkout -b x3 main", "{W}", "allow"), ("git checkout main -- src/app.py", "{W}", "allow"),
        ("git merge main", "{W}", "allow"), ("git rebase main", "{W}", "allow")],
    "merging another worktree's branch": [("git merge wt/y", "{W}", "ask")],
    "deleting or moving the branch of a worktree": [
        ("git branch -D wt/y", "{W}", "deny"), ("git update-ref refs/heads/wt/y HEAD", "{W}", "deny")],
    "`git branch -D` of commits that nothing else holds": [("git branch -D idea", "{W}", "ask")],
    "`git worktree remove`, `move`, `unlock`": [
        ("git worktree remove {W2}", "{W}", "deny"), ("git worktree move {W2} {OUT}/w", "{W}", "deny"),
        ("git worktree unlock {W2}", "{W}", "deny")],
    "`git worktree prune`": [("git worktree prune", "{W}", "allow")],
    "`core.bare`, `core.worktree`, `core.hooksPath` for all worktrees": [
        ("git config core.bare true", "{W}", "deny"), ("git config core.bare false", "{W}", "allow")],
    "`gc.*`, `extensions.*`, mirrors": [("git config gc.auto 0", "{W}", "ask"), ("git config user.name me", "{W}", "allow")],
    "`reflog expire --expire=…`, `gc --prune=now`, `filter-branch`, `replace`": [
        ("git reflog expire --expire=now --all", "{W}", "deny"), ("git gc --prune=now", "{W}", "deny"), ("git gc", "{W}", "allow")],
    "`--no-verify`, `-c core.hooksPath=…` while bound": [("git commit --no-verify -m x", "{W}", "ask"),
                                                       ("git -c core.hooksPath=/dev/null commit -m x", "{W}", "ask")],
    "`wt authorize-main`, `allow`, `trust --accept`, or leaving a person's binding, by an agent": [
        ("wt authorize-main --reason x", "{W}", "ask"), ("wt leave", "{W}", "ask"), ("wt status", "{W}", "allow")],
    "`git reset --hard`, `checkout .`, `clean -fd`, … in your worktree": [
        ("git reset --hard", "{W}", "ask"), ("git checkout .", "{W}", "ask"), ("git clean -fd", "{W}", "ask"),
        ("git clean -nd", "{W}", "allow")],
    "`git checkout -- one-file`": [("git checkout -- src/app.py", "{W}", "allow")],
    "`git stash pop`, `apply`, `drop` of another worktree's entry": [("git stash pop", "{W}", "deny"), ("git stash drop 0", "{W}", "deny")],
    "`git stash drop` of your own; `clear`": [("git stash drop 1", "{W}", "ask"), ("git stash clear", "{W}", "deny")],
    "`git stash push`": [("git stash push -m x", "{W}", "note")],
    "`>`, `cp`, `mv`, `sed -i`, `rm`, `tar`, `curl -o`, `python -c`, …": [
        ("echo x > {R}/src/app.py", "{W}", "deny"), ("cp a {R}/src/app.py", "{W}", "deny"), ("sed -i s/1/2/ {R}/src/app.py", "{W}", "deny"),
        ("rm {R}/src/app.py", "{W}", "deny"), ("echo x > {W2}/f", "{W}", "deny"), ("echo x > src/new.py", "{W}", "allow"),
        ("cp {R}/src/app.py .", "{W}", "allow"), ("echo x > {OUT}/f", "{W}", "allow"), ("sed s/1/2/ {R}/src/app.py", "{W}", "allow")],
    "`rm -rf` of a worktree, or of a folder that holds some": [("rm -rf {W2}", "{W}", "deny"), ("rm -rf {W}", "{W}", "deny"),
                                                                 ("rm -rf build", "{W}", "allow")],
    "a program run in the main checkout while you are bound": [("npm test", "{R}", "note"), ("npm test", "{W}", "allow")],
    "text that cannot be followed and names git or a worktree": [("git log 'x", "{W}", "ask"), ("echo 'x", "{W}", "allow")],
    "anything that only reads, anywhere": [
        ("git -C {R} log -1 && git -C {W2} diff", "{W}", "allow"), ("cat {R}/README.md", "{W}", "allow")],
}


def test_every_row_is_tried() -> None:
    assert [row[0] for row in table("commands")] == list(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_the_row_is_true(bound: World, row: str) -> None:
    bound.sh('git -C "$W" switch -q -c idea; git -C "$W" commit -q --allow-empty -m i; git -C "$W" switch -q wt/x')
    bound.sh('echo mine > "$W/src/app.py"; git -C "$W" stash -q; git -C "$W2" stash -q\n'
             'echo mine > "$W/src/app.py"; echo u > "$W/untracked"')
    said = dict(table("commands"))[row]
    words = {"deny": "refused", "ask": "asked", "allow": "pass", "note": "note"}
    for command, cwd, expected in ROWS[row]:
        assert bound.hook("Bash", {"command": command}, cwd).kind == expected, command
        assert words[expected] in said or expected == "allow", f"the table does not say that {command} is {words[expected]}"


@pytest.mark.parametrize("tool", ["Bash", "Monitor", "PowerShell"])
def test_every_shell_tool_goes_through_the_same_door(bound: World, tool: str) -> None:
    assert bound.hook(tool, {"command": "git push origin HEAD:main"}, "{W}").rule == "push-to-protected"
    assert bound.hook(tool, {"command": "git status"}, "{W}").kind == "allow"
    assert bound.hook(tool, {}, "{W}").kind == "allow"


@pytest.mark.parametrize(("setting", "command"), [
    ("unreadable", "git push origin wt/x 'not closed"), ("unresolved", 'git push origin "$BRANCH"'),
    ("unresolved", 'echo x > "$TARGET/f"'), ("skip_hooks", "git commit -nm x")])
@pytest.mark.parametrize("choice", ["ask", "pass", "deny"])
def test_a_setting_chooses_the_answer(bound: World, setting: str, command: str, choice: str) -> None:
    (bound.R / ".worktree-guard.json").write_text(f'{{"{setting}": "{choice}"}}')
    assert bound.hook("Bash", {"command": command}, "{W}").kind == {"pass": "allow"}.get(choice, choice)


@pytest.mark.parametrize("command", ['git push origin "$BRANCH"', 'echo x > "$TARGET/f"', 'rm -rf "$TARGET"'])
def test_what_passes_unresolved_is_written_down(bound: World, command: str) -> None:
    assert bound.hook("Bash", {"command": command}, "{W}").kind == "allow"
    assert '"rule":"unresolved"' in (bound.state / "audit.jsonl").read_text().splitlines()[-1].replace(" ", "")


@pytest.mark.parametrize(("command", "kind"), [
    ("git -C {R} commit -m x", "deny"), ("git push `\n  origin HEAD:main", "deny"),
    ("git status; if ($?) { Write-Host 'don''t' }", "allow"),
    ("Get-ChildItem | Where-Object { $_.Name -like '*git*' }", "allow"), ("'x' > {R}\\src\\app.py", "deny")])
def test_powershell_is_read_as_far_as_it_is_like_bash(bound: World, command: str, kind: str) -> None:
    assert bound.hook("PowerShell", {"command": command}, "{W}").kind == kind
