"""Real bash against our prediction: what a script changed in the main checkout or another worktree was foreseen, or called unknown."""
from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as laws
from hypothesis import strategies as st

from guard.core.model import WRITE, Call
from guard.core.shell import HOLE, effects
from guard.edge import disk
from guard.edge.commands import Surroundings
from tests.core.shell.recording import SHELL

TREES = ("R", "W2", "W")
FILES = ("f.txt", "sub/g.txt", "sub/deep/h.txt")
targets = st.sampled_from(["f.txt", "sub/g.txt", "new.txt", "sub/new.txt", "$R/f.txt", '"$R/sub/g.txt"', "${R}/new", "$W2/f.txt",
                           "../R/f.txt",
                           "../W2/new", "$W/f.txt", "$D/f.txt", "'$R/odd'"])
folders = st.sampled_from(["$R", '"$W2"', "sub", "../R", "$W", "nowhere", "$D"])  # no way up and out: this is really run
writes = st.one_of(
    st.builds("echo {1} {0} {2}".format, st.sampled_from([">", ">>", ">|", "&>"]), st.sampled_from(["a", "'b c'"]), targets),
    st.builds("echo x | tee {0} > /dev/null".format, targets), st.builds("cat > {0} <<'E'\nbody $R\nE\n".format, targets),
    st.builds("cp {0} {1}".format, targets, targets), st.builds("mv {0} {1}".format, targets, targets),
    st.builds("cp f.txt sub/g.txt {0}".format, folders), st.builds("mv -t {0} f.txt".format, folders),
    st.builds("ln -sf f.txt {0}".format, targets),
    st.builds("sed -i s/o/0/ {0}".format, targets), st.builds("sed -n p {0} > /dev/null".format, targets),
    st.builds("rm -f {0}".format, targets),
    st.builds("touch {0}".format, targets), st.builds("mkdir -p {0}".format, targets), st.builds("truncate -s 0 {0}".format, targets),
    st.builds("dd if=/dev/null of={0} 2>/dev/null".format, targets), st.builds("rm -rf {0}/sub".format, folders),
    st.builds("find {0} -name '*.txt' -exec rm {{}} \\;".format, folders), st.builds("find {0} -name 'g*' -delete".format, folders),
    st.builds("echo {0} | xargs rm -f".format, targets), st.builds("printf '%s\\n' f.txt | xargs sed -i s/o/0/".format),
    st.builds("sort -o {0} f.txt".format, targets), st.builds("install -m 644 f.txt {0}".format, targets))
steps = st.recursive(
    st.one_of(writes, st.builds("cd {0}".format, folders), st.builds("D={0}".format, folders)),
    lambda inner: st.one_of(
        st.builds("( {0}\n{1}\n)".format, inner, inner), st.builds("{{ {0}\n{1}\n}}".format, inner, inner),
        st.builds("for i in 1 2; do\n{0}\ndone".format, inner), st.builds("if true; then\n{0}\nelse\n{1}\nfi".format, inner, inner),
        st.builds("fn() {{\n{0}\n}}\nfn".format, inner), st.builds("true && {0}".format, inner)), max_leaves=4)
scripts = st.lists(steps, min_size=1, max_size=4).map(lambda lines: "\n".join(["D=$W/sub", *lines]))


@dataclass
class Scratch:
    root: Path
    template: Path

    def fresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.template, self.root, symlinks=True)

    def state(self) -> dict[str, tuple[object, ...]]:
        """Everything below the trees that are not ours: path -> kind, content, time of change."""
        found: dict[str, tuple[object, ...]] = {}
        for tree in TREES[:2]:
            for at, names, files in os.walk(self.root / tree):
                for name in [*names, *files]:
                    path = Path(at) / name
                    what = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
                    found[str(path)] = (what, path.lstat().st_mtime_ns if path.is_file() else 0)
        return found

    def env(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": str(self.root), **{tree: str(self.root / tree) for tree in TREES}}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("writes")))
    for tree in TREES:
        for file in FILES:
            (base / "template" / tree / file).parent.mkdir(parents=True, exist_ok=True)
            (base / "template" / tree / file).write_text(f"one of {tree}\n")
    yield Scratch(base / "at", base / "template")
    shutil.rmtree(base)


def foreseen(scratch: Scratch, script: str, path: str) -> bool:
    """A write of that path, of something it lies in, or of what cannot be known."""
    disk.forget()
    world = Surroundings(disk)
    world.variable = lambda name: scratch.env().get(name, "")  # type: ignore[method-assign]
    for effect in effects(Call(tool="Bash", input={}, cwd=str(scratch.root / "W")), script, world):
        if effect.kind != WRITE:
            continue
        known = effect.path.partition(HOLE)[0]
        if HOLE in effect.path and path.startswith(known):
            return True
        if path == effect.path.rstrip("/") or path.startswith(effect.path.rstrip("/") + "/"):
            return True
        if effect.path.startswith(path + "/"):  # a folder on the way, made or emptied
            return True
    return False


@laws(SHELL, max_examples=500)
@given(script=scripts)
def test_what_bash_changed_elsewhere_was_foreseen(scratch: Scratch, script: str) -> None:
    scratch.fresh()
    before = scratch.state()
    subprocess.run(["bash", "--norc", "-c", script], cwd=scratch.root / "W", env=scratch.env(), capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=20, check=False)
    after = scratch.state()
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    scratch.fresh()  # the reader looks at the disk as it was
    for path in sorted(changed):
        assert foreseen(scratch, script, path), f"{path} changed, unforeseen, by:\n{script}"
