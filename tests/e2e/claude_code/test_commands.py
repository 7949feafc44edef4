"""The real client and shell commands: the model sees why and what instead, what it is told works, and nothing else changed."""
from __future__ import annotations

import re

from tests.conftest import Worlds
from tests.e2e.claude_code.client import Run, run, shell
from tests.e2e.claude_code.test_sessions import make, pytestmark  # noqa: F401 - marks this module as well
from tests.worlds import World

MESSAGE = """git add -A && git commit -q -m "$(cat <<'EOF'
docs: never git push --force origin main

Nor `cd {R} && git commit`, nor `git worktree remove --force {W2}`.
EOF
)" """


def remedy(said: str) -> str:
    """The command that a refusal tells to run."""
    found = re.search(r"^Instead: (.*?)(?:  \(|$)", said, re.M)
    assert found, said
    return found.group(1)


def state(world: World) -> list[str]:
    """What must stay: main's commit and files, the other worktree's, the remote's branches, the worktree list."""
    worktrees = [line for line in world.git("worktree", "list", "--porcelain").splitlines() if line.startswith("worktree")]
    return [world.git("rev-parse", "main"), world.git("status", "--porcelain"), world.git("rev-parse", "wt/y"),
            world.git("status", "--porcelain", cwd=world.W2), world.git("ls-remote", "origin", "refs/heads/main"), *worktrees]


def with_remote(worlds: Worlds) -> World:
    world = make(worlds, "beside")
    world.sh('git init -q --bare "$OUT/origin.git"; git -C "$R" remote add origin "$OUT/origin.git"; git -C "$R" push -q -u origin main')
    world.bind()
    return world


def test_commands_that_would_do_harm_are_refused_with_one_that_works(worlds: Worlds) -> None:
    world = with_remote(worlds)
    (world.W / "src/app.py").write_text("value = 3\n")
    before = state(world)
    stopped = ["git -C {W} push origin HEAD:main", "cd {R} && git commit -qam wip", "git worktree remove --force {W2}"]
    story = run(world, [shell(command) for command in [*stopped, "cd {W} && " + MESSAGE]], "bypassPermissions", cwd=world.W)
    for n, rule in enumerate(("push-to-protected", "main-checkout", "worktree-removal")):
        assert f"(worktree-guard: {rule})" in story.refused(n)
    story.ok(3)
    assert "never git push --force" in world.git("log", "-1", "--format=%B", cwd=world.W)
    assert state(world) == before
    again = obeyed(world, story)
    assert world.git("ls-remote", "origin", "refs/heads/wt/x").split()[0] == world.git("rev-parse", "wt/x"), again.results
    assert state(world) == before


def obeyed(world: World, story: Run) -> Run:
    """The same model does what it was told to."""
    push, commit, removal = (remedy(story.refused(n)) for n in range(3))
    (world.W / "src/more.py").write_text("m\n")
    told = run(world, [shell("git add -A"), shell(commit), shell(push), shell(removal)], "bypassPermissions", cwd=world.W)
    assert [failed for failed, _ in told.results[:3]] == [False] * 3, told.results
    assert "stays as it is" in told.refused(3) and "wt did not make it" in told.refused(3), "it has been looked at"
    assert "-qam wip" in commit
    return told


def test_where_nobody_can_be_asked_a_question_is_a_refusal(worlds: Worlds) -> None:
    world = with_remote(worlds)
    story = run(world, [shell("wt authorize-main --reason 'I want to'"), shell("git merge -q wt/y"), shell("git log --oneline -1 main")],
                "bypassPermissions", cwd=world.W)
    assert "persons-leave" in story.refused(0)
    assert "merge-of-others" in story.refused(1)
    story.ok(2)
    assert world.git("log", "--oneline", "-1", "main").split()[0] in story.ok(2)


def test_writes_elsewhere_are_refused_and_lost_work_is_asked_about(worlds: Worlds) -> None:
    world = with_remote(worlds)
    (world.W / "src/app.py").write_text("value = 9\n")
    (world.R / "node_modules").mkdir()
    (world.R / "node_modules/kept.js").write_text("k\n")
    (world.W / "node_modules").symlink_to(world.R / "node_modules")
    world.sh('echo node_modules >> "$R/.git/info/exclude"')
    before = state(world)
    stopped = {"echo x > {R}/src/app.py": "use-worktree-path", "sed -i s/1/2/ {R}/src/app.py": "use-worktree-path",
               "cp src/app.py {W2}/src/app.py": "other-worktree", "rm -rf node_modules/": "link-leaves-worktree",
               "git reset --hard": "discard", "git clean -fdx": "discard"}
    (world.W / "note.txt").write_text("only here\n")
    story = run(world, [shell(command) for command in [*stopped, "git checkout -- src/app.py", "rm node_modules"]], "bypassPermissions",
                cwd=world.W)
    for n, rule in enumerate(stopped.values()):
        assert f"(worktree-guard: {rule})" in story.refused(n), story.results[n]
    assert "src/app.py" in story.refused(4) and "note.txt" in story.refused(5), "what would be lost is named"
    story.ok(6)
    assert (world.W / "src/app.py").read_text() == "value = 1\n", "one file by its name is the agent's to give up"
    story.ok(7)
    assert not (world.W / "node_modules").is_symlink() and (world.R / "node_modules/kept.js").read_text() == "k\n"
    assert state(world) == before
