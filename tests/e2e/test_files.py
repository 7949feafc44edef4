"""Policy rows for file tools, through the real hook process on real repositories. Rows that pass come first."""
from __future__ import annotations

import json

import pytest

from tests.worlds import World

EDIT = {"old_string": "value = 1", "new_string": "value = 2"}

# id, tool, input, cwd, what comes back: allow, note, or the rule of a refusal, or the expected input of a rewrite
PASS = [
    ("write in W", "Write", {"file_path": "{W}/src/a.py", "content": ""}, "{W}"),
    ("edit in W", "Edit", {"file_path": "{W}/src/app.py", **EDIT}, "{R}"),
    ("a new file in W from R", "Write", {"file_path": "{W}/deep/er/a.py", "content": ""}, "{R}"),
    ("outside every repository", "Write", {"file_path": "{OUT}/a.md", "content": ""}, "{W}"),
    ("the temp folder", "Write", {"file_path": "/tmp/review_a.md", "content": ""}, "{W}"),
    ("a folder whose name begins like R", "Write", {"file_path": "{R}-notes/a.md", "content": ""}, "{W}"),
    ("read of git's own file", "Read", {"file_path": "{R}/.git/config"}, "{W}"),
    ("read of another worktree", "Read", {"file_path": "{W2}/src/app.py"}, "{W}"),
    ("read of W", "Read", {"file_path": "{W}/src/app.py"}, "{R}"),
    ("search in W", "Grep", {"pattern": "x", "path": "{W}/src"}, "{R}"),
    ("search from W without a path", "Grep", {"pattern": "x"}, "{W}"),
    ("glob with an absolute pattern in W", "Glob", {"pattern": "{W}/**/*.py"}, "{R}"),
    ("search outside", "Grep", {"pattern": "x", "path": "{OUT}"}, "{R}"),
    ("an unknown tool", "Frobnicate", {"file_path": "{R}/src/app.py"}, "{R}"),
    ("a shell command that looks elsewhere", "Bash", {"command": "ls {OUT}"}, "{W}"),
    ("read of a file neither has", "Read", {"file_path": "{R}/nowhere.txt"}, "{R}"),
    ("an MCP tool that reads", "mcp__fs__read_file", {"path": "{R}/src/app.py"}, "{W}"),
    ("an MCP tool that reads a commit", "mcp__github__get_commit", {"owner": "a", "repo": "b", "sha": "c"}, "{R}"),
    ("an MCP commit in W", "mcp__git__git_commit", {"repo_path": "{W}", "message": "m"}, "{R}"),
    ("an MCP look at R", "mcp__git__git_status", {"repo_path": "{R}"}, "{W}"),
    ("an MCP write in W", "mcp__fs__write_file", {"path": "{W}/a", "content": "{R}/src/app.py"}, "{R}"),
    ("an MCP write without a path, server unknown", "mcp__github__create_issue", {"title": "{R}"}, "{R}"),
    ("an MCP write with a relative path from W", "mcp__fs__write_file", {"path": "a.txt", "content": ""}, "{W}"),
    ("entering the bound worktree", "EnterWorktree", {"path": "{W}"}, "{R}"),
    ("a helper told of W", "Agent", {"prompt": "work in {W}/src"}, "{R}"),
    ("a helper told of a folder that begins like R", "Agent", {"prompt": "look at {R}-notes"}, "{R}"),
    ("a web page", "WebFetch", {"url": "file://{R}/src/app.py"}, "{R}"),
]
NOTE = [
    ("read of a file only R has", "Read", {"file_path": "{R}/only_main.txt"}, "{W}"),
    ("search in a folder only R has", "Grep", {"pattern": "x", "path": "{R}/only_main"}, "{W}"),
    ("serena keeps files where it started", "mcp__serena__write_memory", {"memory_name": "p", "content": "x"}, "{W}"),
    ("a helper told of R", "Agent", {"prompt": "work in {R}/src"}, "{R}"),
    ("a helper told of R alone", "Agent", {"prompt": "work in {R}"}, "{R}"),
]
DENY = [
    ("edit of R", "Edit", {"file_path": "{R}/src/app.py", **EDIT}, "{W}", "use-worktree-path"),
    ("edit of R by a relative path", "Edit", {"file_path": "src/app.py", **EDIT}, "{R}", "use-worktree-path"),
    ("multi-edit of R", "MultiEdit", {"file_path": "{R}/src/app.py", "edits": [EDIT]}, "{W}", "use-worktree-path"),
    ("notebook of R", "NotebookEdit", {"notebook_path": "{R}/nb.ipynb", "new_source": "1"}, "{W}", "use-worktree-path"),
    ("write over a file of R that W has", "Write", {"file_path": "{R}/src/app.py", "content": ""}, "{W}", "use-worktree-path"),
    ("three hops up", "Write", {"file_path": "{W}/../../app/src/app.py", "content": ""}, "{W}", "use-worktree-path"),
    ("a path field of another client", "Edit", {"path": "{R}/src/app.py", **EDIT}, "{W}", "use-worktree-path"),
    ("write in W2", "Write", {"file_path": "{W2}/a.py", "content": ""}, "{W}", "other-worktree"),
    ("edit in W2 from W2", "Edit", {"file_path": "{W2}/src/app.py", **EDIT}, "{W2}", "other-worktree"),
    ("write into .git", "Write", {"file_path": "{R}/.git/hooks/pre-commit", "content": ""}, "{W}", "git-folder"),
    ("write over a .git pointer", "Write", {"file_path": "{W}/.git", "content": "gitdir: /x"}, "{W}", "git-folder"),
    ("write of a new .git pointer", "Write", {"file_path": "{W}/src/.git", "content": "gitdir: /x"}, "{W}", "git-folder"),
    ("write into the admin folder of W2", "Write", {"file_path": "{R}/.git/worktrees/y/HEAD", "content": ""}, "{W}", "git-folder"),
    ("edit of a draft only R has", "Edit", {"file_path": "{R}/only_main.txt", **EDIT}, "{W}", "only-in-main"),
    ("write over a draft only R has", "Write", {"file_path": "{R}/only_main.txt", "content": ""}, "{W}", "only-in-main"),
    ("relative MCP write from R", "mcp__fs__write_file", {"path": "a.txt", "content": ""}, "{R}", "server-in-main"),
    ("relative MCP write of a listed server", "mcp__serena__replace_symbol", {"relative_path": "src/app.py"}, "{W}", "server-in-main"),
    ("entering another worktree", "EnterWorktree", {"path": "{W2}"}, "{R}", "leave-first"),
    ("entering a new worktree", "EnterWorktree", {"name": "feat/x"}, "{R}", "leave-first"),
]
MOVE = [
    ("read", "Read", {"file_path": "{R}/src/app.py"}, "{W}", {"file_path": "{W}/src/app.py"}),
    ("read keeps every other field", "Read",
     {"file_path": "{R}/src/app.py", "offset": 3, "limit": None, "x": {"y": [1.5, "é", True]}}, "{W}",
     {"file_path": "{W}/src/app.py", "offset": 3, "limit": None, "x": {"y": [1.5, "é", True]}}),
    ("read of what only W has", "Read", {"file_path": "{R}/src/new_feature.py"}, "{R}", {"file_path": "{W}/src/new_feature.py"}),
    ("write of a new file", "Write", {"file_path": "{R}/src/brand new.py", "content": ""}, "{W}",
     {"file_path": "{W}/src/brand new.py", "content": ""}),
    ("write of a new file with dots", "Write", {"file_path": "{R}/src/../docs/./n.md", "content": ""}, "{W}",
     {"file_path": "{W}/docs/n.md", "content": ""}),
    ("write of an ignored file R has", "Write", {"file_path": "{R}/.env", "content": ""}, "{W}", {"file_path": "{W}/.env", "content": ""}),
    ("search in R", "Grep", {"pattern": "v", "path": "{R}/src/"}, "{W}", {"pattern": "v", "path": "{W}/src/"}),
    ("search from R without a path", "Grep", {"pattern": "v"}, "{R}", {"pattern": "v", "path": "{W}"}),
    ("search from a folder of R", "Grep", {"pattern": "v"}, "{R}/src", {"pattern": "v", "path": "{W}/src"}),
    ("glob from R", "Glob", {"pattern": "**/*.py"}, "{R}", {"pattern": "**/*.py", "path": "{W}"}),
    ("absolute glob", "Glob", {"pattern": "{R}/src/**/*.py"}, "{R}", {"pattern": "{W}/src/**/*.py"}),
    ("absolute glob of the root", "Glob", {"pattern": "{R}/*.md"}, "{W}", {"pattern": "{W}/*.md"}),
    ("absolute glob without a wildcard", "Glob", {"pattern": "{R}/src/app.py"}, "{W}", {"pattern": "{W}/src/app.py"}),
    ("absolute glob and path", "Glob", {"pattern": "{R}/src/*", "path": "{R}"}, "{W}", {"pattern": "{W}/src/*", "path": "{W}"}),
    ("listing R", "LS", {"path": "{R}"}, "{R}", {"path": "{W}"}),
    ("MCP write to R", "mcp__fs__write_file", {"path": "{R}/src/app.py", "content": "{R}"}, "{W}",
     {"path": "{W}/src/app.py", "content": "{R}"}),
    ("MCP commit in R", "mcp__git__git_commit", {"repo_path": "{R}", "message": "m"}, "{W}", {"repo_path": "{W}", "message": "m"}),
    ("MCP write with a list of paths", "mcp__fs__deleteFiles", {"paths": ["{R}/src/app.py", "{OUT}/b"]}, "{W}",
     {"paths": ["{W}/src/app.py", "{OUT}/b"]}),
]


@pytest.fixture
def here(bound: World) -> World:
    bound.sh('echo d > "$R/only_main.txt"; mkdir "$R/only_main"; echo P=1 > "$R/.env"; mkdir -p "$R-notes"')
    return bound


@pytest.mark.parametrize(("_id", "tool", "given", "cwd"), PASS, ids=[row[0] for row in PASS])
@pytest.mark.parametrize("client", ["claude-code", "zcode"])
def test_it_passes(here: World, _id: str, tool: str, given: dict, cwd: str, client: str) -> None:
    answer = here.hook(tool, given, cwd, client)
    assert (answer.kind, answer.document, answer.stderr) == ("allow", {}, "")


@pytest.mark.parametrize(("_id", "tool", "given", "cwd"), NOTE, ids=[row[0] for row in NOTE])
def test_it_passes_with_a_note(here: World, _id: str, tool: str, given: dict, cwd: str) -> None:
    answer = here.hook(tool, given, cwd)
    assert answer.kind == "note"
    assert str(here.W) in answer.note
    assert "\n" not in answer.note
    assert here.hook(tool, given, cwd, "zcode").document == {}, "ZCode shows the model no notes"


@pytest.mark.parametrize(("_id", "tool", "given", "cwd", "rule"), DENY, ids=[row[0] for row in DENY])
def test_claude_code_is_refused(here: World, _id: str, tool: str, given: dict, cwd: str, rule: str) -> None:
    answer = here.hook(tool, given, cwd)
    assert (answer.kind, answer.rule) == ("deny", rule)
    assert "\nInstead: " in answer.reason
    if rule == "use-worktree-path":
        named = str(here.W / ("nb.ipynb" if "nb" in json.dumps(given) else "src/app.py"))
        assert named in answer.reason


@pytest.mark.parametrize(("_id", "tool", "given", "cwd", "rule"), DENY, ids=[row[0] for row in DENY])
def test_zcode_is_refused_or_moved(here: World, _id: str, tool: str, given: dict, cwd: str, rule: str) -> None:
    answer = here.hook(tool, given, cwd, "zcode")
    if rule != "use-worktree-path":
        assert (answer.kind, answer.rule) == ("deny", rule)
        return
    field = next(key for key in given if "path" in key)
    target = str(here.W / ("nb.ipynb" if "nb" in given[field] else "src/app.py"))
    assert answer.input == here.fill({**given, field: target})
    assert "permissionDecision" not in answer.inner


@pytest.mark.parametrize(("_id", "tool", "given", "cwd", "expected"), MOVE, ids=[row[0] for row in MOVE])
@pytest.mark.parametrize("client", ["claude-code", "zcode"])
def test_it_is_moved(here: World, _id: str, tool: str, given: dict, cwd: str, expected: dict, client: str) -> None:
    answer = here.hook(tool, given, cwd, client)
    assert answer.input == here.fill(expected)
    assert "permissionDecision" not in answer.inner, "a decision would skip the person's permission prompt"
    assert (str(here.W) in answer.note) == (client == "claude-code")
    again = here.hook(tool, answer.input, cwd, client)
    assert again.kind == "allow", "moving twice is moving once"


OPERATIONS = ["create_file", "update_file", "delete_file"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_apply_patch_moves_its_operation(here: World, operation: str) -> None:
    given = {"callId": "c1", "operation": {"type": operation, "path": "{R}/src/app.py", "diff": "@@"}}
    answer = here.hook("ApplyPatch", given, "{W}", "zcode")
    assert answer.input == here.fill({"callId": "c1", "operation": {"type": operation, "path": "{W}/src/app.py", "diff": "@@"}})
    refused = here.hook("ApplyPatch", {"operation": {"type": operation, "path": "{W2}/src/app.py"}}, "{W}", "zcode")
    assert (refused.kind, refused.rule) == ("deny", "other-worktree")


@pytest.mark.parametrize("given", [{}, {"operation": None}, {"operation": {}}, {"operation": "x"}])
def test_a_malformed_patch_passes_and_is_heard(here: World, given: dict) -> None:
    answer = here.hook("ApplyPatch", given, "{W}", "zcode")
    assert answer.document == {}
    assert "ApplyPatch" in answer.stderr


def test_a_call_that_stands_in_no_repository_is_bound_by_what_binds_everybody(here: World) -> None:
    here.extra["CLAUDE_PROJECT_DIR"] = ""
    assert here.hook("Write", {"file_path": "{W}/src/new.py", "content": ""}, "{OUT}").kind == "allow"
    assert here.hook("Write", {"file_path": "{OUT}/new.py", "content": ""}, "{OUT}").kind == "allow"
    assert here.hook("Read", {"file_path": "{R}/src/app.py"}, "{OUT}").input == {"file_path": str(here.W / "src/app.py")}
    assert here.hook("Write", {"file_path": "{W2}/a", "content": ""}, "{OUT}").rule == "other-worktree"
    assert here.wt("leave").returncode == 0
    assert here.hook("Write", {"file_path": "{R}/src/app.py", "content": ""}, "{OUT}").kind == "allow"
    assert here.hook("Write", {"file_path": "{W2}/a", "content": ""}, "{OUT}").kind == "allow", "nothing binds it, and it is not at home"


def test_a_call_at_home_elsewhere_is_not_bound_by_a_neighbour_s_binding(here: World) -> None:
    here.sh('git init -q "$OUT/other"')
    here.extra["CLAUDE_PROJECT_DIR"] = str(here.OUT / "other")
    assert here.hook("Write", {"file_path": "{R}/src/app.py", "content": ""}, "{OUT}/other").kind == "allow"
