"""Worlds for the rows of tests/cases: repositories with a remote, in which it can be seen what a command does.

R is on main with an open edit and a file git does not know, W on wt/x with one commit that is not pushed, W2 on wt/y with an open
edit. `idea` holds a commit of its own, `merged` none; one commit is held by nothing. OUT/other is a repository of its own on main.
git.jsonl is about git's verbs, writes.jsonl about files that commands write, discards.jsonl about work that git throws away.
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.programs import PROGRAMS
from tests.worlds import ROOT, SESSION, World, home_with_identity

FILES = ("git", "writes", "discards")
RECIPE = r"""set -e
REMOTE="$OUT/../origin.git"
git init -q --bare -b main "$REMOTE"; git -C "$REMOTE" config receive.denyDeleteCurrent ignore
git -C "$REMOTE" config receive.advertisePushOptions true
git init -q -b main "$R"; rm -rf "$REMOTE/hooks" "$R/.git/hooks"; cd "$R"; mkdir -p src docs
printf 'build/\n*.log\n' > .gitignore
for name in app util; do seq 1 20 | sed "s/^/$name /" > "src/$name.py"; done
echo n > docs/notes.md; echo r > README.md
git add -A; git commit -qm base; git tag v1.0
echo more >> README.md; git commit -qam second
for name in maintenance trunk release; do git branch "$name"; done; git branch merged HEAD~1
git branch idea "$(git commit-tree -p HEAD -m idea 'HEAD^{tree}')"; git commit-tree -p HEAD -m dangling 'HEAD^{tree}' > /dev/null
git remote add origin "$REMOTE"; git push -q -u origin main; git push -q origin maintenance trunk release merged
git push -q origin "$(git commit-tree -p HEAD -m next 'HEAD^{tree}'):refs/heads/next"
git worktree add -q "$W" -b wt/x; git worktree add -q "$W2" -b wt/y
cd "$W"; echo nf > src/new_feature.py; git add -A; git commit -qm own; git push -q -u origin wt/x
echo more >> src/new_feature.py; git commit -qam 'own, not pushed'; echo t > todo.txt
cd "$W2"; echo y > y.txt; git add -A; git commit -qm y; git push -q -u origin wt/y; echo edit >> src/app.py
cd "$R"; echo edit >> docs/notes.md; echo s > scratch.txt
git init -q --bare -b main "$OUT/other.git"; git init -q -b main "$OUT/other"; rm -rf "$OUT/other.git/hooks" "$OUT/other/.git/hooks"
cd "$OUT/other"; echo o > o.txt; git add -A; git commit -qm one; echo p >> o.txt; git commit -qam two
git remote add origin "$OUT/other.git"; git push -q -u origin main
for folder in "$R" "$REMOTE" "$OUT/other" "$OUT/other.git"; do git -C "$folder" repack -qadk; done  # fewer files to copy for each row
rm -rf "$R/.git/description" "$R/.git/info" "$REMOTE/info" "$OUT"/other*/info
"""
# Files that only R has (private, scratch.txt; build is ignored), links in both directions, and something to unpack.
FURNISHED = r"""set -e
cd "$R"; mkdir -p build private node_modules/lib; echo o > build/out.o; echo k > private/key.txt; echo i > node_modules/lib/index.js
printf 'node_modules\n.env\n' > .git/excludes; git config core.excludesFile "$R/.git/excludes"; echo a=1 > .env
cd "$OUT"; mkdir -p shared a/src; echo f > shared/f.txt; cp "$R/src/app.py" a/src/app.py; echo n > a/src/new.py
ln -s "$R/src" to-src; ln -s "$R/src/app.py" to-app; ln -s "$W/src" to-own
printf '%s\n' '--- a/src/app.py' '+++ b/src/app.py' '@@ -1,4 +1,4 @@' ' app 1' ' app 2' '-app 3' '+app three' ' app 4' > app.diff
tar cf src.tar -C a src; (cd a && python3 -m zipfile -c ../src.zip src/app.py src/new.py)
printf '%s\n' "$OUT" > where; printf '%s\n' src/app.py src/util.py > names
ln -s "$R/node_modules" "$W/node_modules"; ln -s "$OUT/shared" "$W/shared"; ln -s "$W2/src" "$W/theirs"; ln -s src "$W/code"
"""
# Every kind of open work in W: edited, staged, unknown to git, ignored.
DIRTY = r"""set -e
cd "$W"; echo open >> src/app.py; echo staged >> src/util.py; git add src/util.py
mkdir -p build; echo o > build/out.o; echo d > docs/draft.md
"""
# Nothing that only W has, but for an ignored file.
CLEAN = r"""set -e
cd "$W"; rm todo.txt; git push -q origin wt/x; mkdir -p build empty; echo o > build/out.o
"""
# Three entries: W2's (newest), W's own, R's.
STASHED = r"""set -e
cd "$R"; echo r >> README.md; git stash push -q README.md
cd "$W"; echo mine >> src/util.py; git stash push -q -m 'half done'
cd "$W2"; echo theirs >> src/util.py; git stash push -q src/util.py
"""
OWN_STASH = r"""set -e
cd "$W"; echo older >> docs/notes.md; git stash push -q; echo mine >> src/util.py; git stash push -q -m 'half done'
"""
SUBMODULE = r"""set -e
cd "$R"; git submodule --quiet add "$OUT/other" lib; git commit -qm lib -- .gitmodules lib; git -C "$W" merge -q --no-edit main
"""
# name -> (the world it is made from, what is done to it)
WORLDS: dict[str, tuple[str, str]] = {
    "fresh": ("", RECIPE),
    "bound": ("fresh", 'cd "$R"; wt enter "$W"'),
    "session": ("fresh", f'cd "$R"; wt enter "$W" --session {SESSION}'),
    "unbound": ("bound", 'cd "$R"; wt leave'),
    "authorised": ("bound", 'cd "$R"; wt authorize-main --reason "a test"'),
    "stale": ("bound", 'rm -rf "$W"'),
    "furnished": ("bound", FURNISHED),
    "free": ("furnished", 'cd "$R"; wt leave'),
    "nested": ("", RECIPE.replace("build/", ".worktrees/\\nbuild/") + 'cd "$R"; wt enter "$W"'),
    "nested-free": ("nested", 'cd "$R"; wt leave'),
    "submodule": ("bound", SUBMODULE),
    "dirty": ("bound", DIRTY),
    "clean": ("bound", CLEAN),
    "stashed": ("bound", STASHED),
    "own-stash": ("bound", OWN_STASH),
}
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "protect": ("unbound", {"mode": "protect"}),
    "skip-hooks-pass": ("bound", {"skip_hooks": "pass"}),
    "skip-hooks-deny": ("bound", {"skip_hooks": "deny"}),
    "unresolved-ask": ("bound", {"unresolved": "ask"}),
    "unresolved-deny": ("bound", {"unresolved": "deny"}),
    "unreadable-pass": ("bound", {"unreadable": "pass"}),
    "unreadable-deny": ("bound", {"unreadable": "deny"}),
    "asks-deny": ("bound", {"asks": "deny"}),
    "asks-pass": ("bound", {"asks": "pass"}),
    "protected-branches": ("bound", {"protected_branches": ["trunk", "release"]}),
    "declared": ("furnished", {"sync": {"symlink_dirs": ["node_modules"]}}),
    "main-write-allow": ("furnished", {"main_write_allow": ["docs/**", "*.log"]}),
    "discard-asks-deny": ("dirty", {"asks": "deny"}),
    "discard-asks-pass": ("dirty", {"asks": "pass"}),
}
for _name, (_from, _chosen) in SETTINGS.items():
    WORLDS[_name] = (_from, f"printf '%s\\n' '{json.dumps(_chosen)}' > \"$R/.worktree-guard.json\"")

# Programs that a row may start and this machine may lack. `sudo` starts the rest; `gh` would talk to a server; `sed -i ''` is BSD's.
STUBS = {"wt": f'exec "{ROOT}/scripts/wt" "$@"', "python3": f'exec "{sys.executable}" "$@"', "gh": "exit 0",
         **dict.fromkeys(("rimraf", "trash"), 'exec rm -rf -- "$@"'),
         "npx": 'if [ "$1" = -c ]; then exec sh -c "$2"; fi; while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
         "cross-env": 'exec env "$@"', "tmux": 'for last; do :; done; exec sh -c "$last"',
         "sudo": 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
         "sed": 'if [ "$1" = -i ] && [ "$2" = "" ]; then shift 2; set -- -i "$@"; fi; command -p sed "$@"',
         **{name: f'exec "{sys.executable}" -I -S "{ROOT}/tests/programs.py" {name} "$@"' for name in PROGRAMS}}


@dataclass(frozen=True)
class Row:
    """One line of a file. `harm`: why a refused row cannot be seen to change anything, "" where it must.

    `loses`: the files whose content a passing row may destroy, since it names them; "commits" where the content of those stays.
    """

    id: str
    world: str
    cwd: str
    command: str
    expect: str
    why: str
    rule: str = ""
    prep: tuple[str, ...] = ()
    harm: str = ""
    loses: tuple[str, ...] = ()
    file: str = "git"

    @property
    def refused(self) -> bool:
        return self.expect in ("ask", "deny")


@cache
def rows() -> list[Row]:
    read = [(file, json.loads(line)) for file in FILES for line in (ROOT / f"tests/cases/{file}.jsonl").read_text().splitlines()]
    return [Row(**{**one, "prep": tuple(one.get("prep", ())), "loses": tuple(one.get("loses", ())), "file": file}) for file, one in read]


class GitWorlds:
    """Each world once a run, all of them at one place, since git writes absolute paths; a copy comes to stand there."""

    def __init__(self, base: Path) -> None:
        self.base, self.at, self.standing = base, base / "world", ""
        self.seen: dict[str, Any] = {}  # what a test wants to remember of a world as it was built
        self.bin = base / "bin"
        self.bin.mkdir()
        for name, text in STUBS.items():
            (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.bin / name).chmod(0o755)

    def world(self, name: str, prep: tuple[str, ...] = ()) -> World:
        """The world as it was built, or as `prep` leaves it."""
        if self.standing != name:
            self.put(name)
        world = self.described(name)
        if prep:
            self.standing = ""
            world.sh("\n".join(["set -e", 'REMOTE="$OUT/../origin.git"', *prep]))
        return world

    def spoilt(self) -> None:
        """Something has run there: the next one gets a new copy."""
        self.standing = ""

    def described(self, name: str) -> World:
        root, folder = self.at, "app/.worktrees" if name.startswith("nested") else "app-wt"
        path = os.pathsep.join([str(self.bin), os.environ["PATH"], exec_path()])
        return World(root, root / "app", root / folder / "x", root / folder / "y", root / "out",
                     extra={"PATH": path, "GIT_EDITOR": "true", "GIT_PAGER": "cat", "TMPDIR": str(root / "tmp")})

    def put(self, name: str) -> None:
        self.standing = ""
        kept = self.base / f"kept-{name}"
        if not kept.exists():
            self.build(name)
            copied(self.at, kept)
        else:
            copied(kept, self.at)
        self.standing = name

    def build(self, name: str) -> None:
        made_from, script = WORLDS[name]
        world = self.described(name)
        if made_from:
            self.put(made_from)
            self.standing = ""
        else:
            shutil.rmtree(self.at, ignore_errors=True)
            home_with_identity(self.at)
            world.OUT.mkdir()
            (self.at / "tmp").mkdir()
        world.sh(script)


@cache
def exec_path() -> str:
    """Where git keeps `git-push` and its kin."""
    return subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()


def copied(source: Path, target: Path) -> None:
    """Makes `target` what `source` is, and touches only what differs: 200 files cost 30 to 150 ms, the few that a command changes 5."""
    there, wanted = contents(target), contents(source)
    for name in sorted(there, reverse=True):
        if there[name] != wanted.get(name):
            remove(target / name)
    for name in sorted(wanted):
        if there.get(name) != wanted[name]:
            make(source / name, target / name)


def contents(source: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder, and itself as ".": what kind it is, and what changes when it does."""
    found: dict[str, tuple[object, ...]] = {".": ("folder",)} if source.is_dir() else {}
    waiting = [(str(source), "")] if found else []
    while waiting:
        folder, below = waiting.pop()
        with os.scandir(folder) as entries:
            for one in entries:
                name, seen = below + one.name, one.stat(follow_symlinks=False)
                if one.is_symlink():
                    found[name] = ("link", str(Path(one.path).readlink()))
                elif one.is_dir():
                    found[name] = ("folder",)
                    waiting.append((one.path, name + "/"))
                else:
                    found[name] = ("file", seen.st_mode, seen.st_size, seen.st_mtime_ns)
    return found


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)  # its folder may have gone first


def make(source: Path, target: Path) -> None:
    if source.is_symlink():
        target.symlink_to(source.readlink())
    elif source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        shutil.copy2(source, target)
