"""wt explain: what the hook would answer, and why; it changes nothing and is never refused."""
from __future__ import annotations

import json

from tests.worlds import World


def test_a_refused_command_is_explained(bound: World) -> None:
    done = bound.wt("explain", "--", "git", "push", "origin", "HEAD:main", cwd=bound.W)
    assert done.returncode == 0, done.stderr
    for said in ("(your worktree)", "branch wt/x", "effect 1 push: git push origin HEAD:main", "head wt/x", "protected main, master",
                 "-> deny  (push-to-protected)", "verdict  deny  (push-to-protected)", "Instead: git -C"):
        assert said in done.stdout, said


def test_one_text_is_read_as_a_shell_would(bound: World) -> None:
    done = bound.wt("explain", "--json", "--", f"cd {bound.R} && git add -A; ls", cwd=bound.W)
    data = json.loads(done.stdout)["data"]
    assert [effect["kind"] for effect in data["effects"]] == ["change", "run"]
    assert data["effects"][0]["facts"]["place"] == "main" and data["effects"][0]["answer"]["rule"] == "main-checkout"
    assert data["effects"][1]["answer"]["note"].startswith("This runs in the main checkout")
    assert data["verdict"]["kind"] == "deny"
    assert data["binding"]["worktree"]["path"] == str(bound.W)


def test_a_recorded_call_of_any_tool(bound: World) -> None:
    file = bound.root / "call.json"
    file.write_text(json.dumps(bound.document("Write", {"file_path": "{R}/src/new.py", "content": "x"}, "{W}")))
    done = bound.wt("explain", "--call", str(file), cwd=bound.R)
    assert "verdict  rewrite  (use-worktree-path)" in done.stdout
    assert f"{bound.W}/src/new.py" in done.stdout


def test_what_cannot_be_known_shows_as_dots(bound: World) -> None:
    done = bound.wt("explain", "--", 'git -C "$NOWHERE" commit -m x', cwd=bound.W)
    assert "(not to be known)" in done.stdout and "verdict  ask  (unknown-place)" in done.stdout and "\0" not in done.stdout


def test_it_spends_no_leave_and_writes_no_audit(bound: World) -> None:
    assert bound.wt("authorize-main", "--once", "--reason", "a test").returncode == 0
    audit = bound.state / "audit.jsonl"
    before = audit.read_text() if audit.exists() else ""
    for _ in range(2):
        assert "verdict  allow" in bound.wt("explain", "--", "git push origin HEAD:main", cwd=bound.W).stdout
    assert (audit.read_text() if audit.exists() else "") == before
    assert not (bound.state / "used").exists()


def test_outside_every_repository_everything_passes(bound: World) -> None:
    done = bound.wt("explain", "--", "git push origin main", cwd=bound.root / "out")
    assert "none: not in a git repository" in done.stdout and "verdict  allow" in done.stdout


def test_bad_input_has_a_clear_error(bound: World) -> None:
    for words, said in ((["explain"], "no command to explain"), (["explain", "--call", "/nowhere"], "holds no call")):
        done = bound.wt(*words)
        assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_the_hook_lets_it_through(bound: World) -> None:
    assert bound.hook("Bash", {"command": "wt explain -- git push origin main"}, "{W}").kind == "allow"
    assert bound.hook("Bash", {"command": "wt explain -- 'cd {R} && git commit'"}, "{W}").kind == "allow"
