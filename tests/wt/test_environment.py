"""`scripts/wt` finds its way and an interpreter; `guard/wt/environment.py` makes the environment once, and never in an agent's shell."""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import guard
from guard.wt import environment
from tests.worlds import ROOT, World

VERSION = f"worktree-guard {guard.VERSION}\n"
IN_AN_AGENTS_SHELL = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "WORKTREE_GUARD_SESSION", "ZCODE_SESSION_ID"]


def run(words: list[str], world: World, cwd: Path | None = None, timeout: float = 60, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd or world.R, env={**world.env, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the product without .venv, at a path with blanks."""
    root = tmp_path / "a tree with blanks"
    for name in ("guard", "scripts", "hooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def with_venv(tree: Path, *, ready: bool = True) -> None:
    """A .venv in the copy, whose interpreter is the one of the tests."""
    python = tree / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(str(ROOT / ".venv/bin/python"))} "$@"\n')
    python.chmod(0o755)
    if ready:
        (tree / ".venv/ready").touch()


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


# --- scripts/wt: where it is -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("way", ["an absolute link", "a relative link", "a link to a link", "a linked checkout", "a linked folder"])
def test_it_is_found_through(world: World, way: str) -> None:
    bin_folder, wt = world.root / "bin", ROOT / "scripts/wt"
    bin_folder.mkdir()
    link = bin_folder / "wt"
    if way == "an absolute link":
        link.symlink_to(wt)
    elif way == "a relative link":
        link.symlink_to(os.path.relpath(wt, bin_folder))
    elif way == "a link to a link":
        (world.root / "first").symlink_to(wt)
        link.symlink_to("../first")
    elif way == "a linked checkout":
        (bin_folder / "checkout").symlink_to(ROOT)
        link = bin_folder / "checkout/scripts/wt"
    else:
        (bin_folder / "scripts").symlink_to(ROOT / "scripts")
        link = bin_folder / "scripts/wt"
    assert run([str(link), "--version"], world).stdout == VERSION
    assert run(["sh", "-c", "wt --version"], world, PATH=f"{link.parent}:{os.environ['PATH']}").stdout == VERSION, "on PATH"
    assert run(["sh", "-c", f"cd {shlex.quote(str(link.parent))} && ./wt --version"], world).stdout == VERSION, "from its own folder"


@pytest.mark.parametrize("words", [["scripts/wt"], ["./scripts/wt"], ["sh", "scripts/wt"], ["bash", "./scripts/wt"]], ids=" ".join)
@pytest.mark.parametrize("cdpath", ["", ".", "/tmp:."])
def test_it_is_found_from_the_checkout(world: World, words: list[str], cdpath: str) -> None:
    """With CDPATH set, `cd` may print where it went, or go elsewhere."""
    ran = run([*words, "--version"], world, cwd=ROOT, CDPATH=cdpath)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, VERSION, "")


def test_it_is_found_by_a_shell_that_is_given_its_bare_name(world: World) -> None:
    assert run(["sh", "wt", "--version"], world, cwd=ROOT / "scripts").stdout == VERSION


def test_it_runs_from_a_path_with_blanks_and_passes_words_as_they_are(world: World, tree: Path) -> None:
    with_venv(tree)
    ran = run([str(tree / "scripts/wt"), "enter", "a  b*"], world)
    assert (ran.returncode, "'a  b*'" in ran.stderr) == (2, True)
    assert run([str(tree / "scripts/wt"), "status"], world).returncode == 0


def test_the_folder_it_is_called_in_does_not_lend_it_modules(world: World, tree: Path) -> None:
    """A repository may hold a guard.py, a json.py or a msgspec of its own."""
    with_venv(tree)
    for name in ("guard.py", "json.py", "argparse.py", "msgspec.py", "sitecustomize.py"):
        (world.R / name).write_text("raise SystemExit('taken from the repository')\n")
    assert run([str(tree / "scripts/wt"), "status"], world, PYTHONPATH=str(world.R)).returncode == 0


# --- scripts/wt: an interpreter --------------------------------------------------------------------------------------

def fake(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_without_python_it_says_so(world: World, tree: Path) -> None:
    fake(world.root / "bin", "python3", 'test "$1" = -I && exit 1')  # an old one: the question for its version fails
    ran = run([str(tree / "scripts/wt"), "status"], world, PATH=str(world.root / "bin"))
    assert (ran.returncode, ran.stdout) == (127, "")
    assert "Python 3.10 or newer" in ran.stderr


def test_an_old_python3_is_passed_over_for_a_newer_one(world: World, tree: Path) -> None:
    fake(world.root / "bin", "python3", 'test "$1" = -I && exit 1')
    fake(world.root / "bin", "python3.12", f'exec {shlex.quote(sys.executable)} "$@"')
    ran = run([str(tree / "scripts/wt"), "status"], world, PATH=f"{world.root / 'bin'}:/usr/bin:/bin", CLAUDECODE="1")
    assert (ran.returncode, "not set up yet" in ran.stderr) == (127, True)


def test_a_venv_that_was_never_finished_is_not_used(world: World, tree: Path) -> None:
    with_venv(tree, ready=False)
    ran = run([str(tree / "scripts/wt"), "status"], world, CLAUDECODE="1")
    assert (ran.returncode, "not set up yet" in ran.stderr) == (127, True)


# --- the environment -------------------------------------------------------------------------------------------------

def test_requirements_are_pyprojects() -> None:
    tomllib = pytest.importorskip("tomllib", reason="newer than Python 3.10")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert environment.requirements() == project["dependencies"]
    assert environment.requirements("dev") == project["dependencies"] + project["optional-dependencies"]["dev"]
    assert environment.requirements(), "some"


def test_other_requirements_and_other_interpreters_get_another_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    first = environment.folder()
    assert first == environment.folder()
    assert first.is_relative_to(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(environment, "requirements", lambda: ["other>=1"])
        assert environment.folder() != first
    monkeypatch.setattr(sys, "version", "3.99")
    assert environment.folder() != first


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is for Linux")
def test_it_lies_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environment.data_folder() == tmp_path / ".local/share/worktree-guard"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert environment.data_folder() == tmp_path / "data/worktree-guard"


@pytest.mark.parametrize("variable", IN_AN_AGENTS_SHELL)
def test_in_an_agents_shell_nothing_is_installed_and_it_says_what_to_type(world: World, tree: Path, variable: str) -> None:
    home = world.root / "empty home"
    home.mkdir()
    before = files(tree)
    ran = run([str(tree / "scripts/wt"), "status"], world, HOME=str(home), PYTHONDONTWRITEBYTECODE="1", **{variable: "1"})
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (127, "", 1)
    assert (files(home), files(tree)) == (set(), before)
    typed = shlex.split(ran.stderr.rpartition(": ")[2])
    assert typed == [str(tree / "scripts/wt"), "status"], "as it stands, it can be pasted into a shell"


@pytest.fixture
def broken_installer(world: World) -> str:
    """A PATH whose `uv` fails at once, as without a network."""
    fake(world.root / "bin", "uv", "echo 'no route to host' >&2; exit 2")
    return f"{world.root / 'bin'}:{os.environ['PATH']}"


def test_a_set_up_that_fails_says_why_and_what_to_type(world: World, tree: Path, broken_installer: str) -> None:
    ran = run([str(tree / "scripts/wt"), "status"], world, PATH=broken_installer)
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (127, "", False)
    assert "no route to host" in ran.stderr
    assert "Type: " in ran.stderr
    assert not list((world.root / "home/.local").rglob("ready")), "what is half made does not count"


def test_what_it_says_to_type_helps(world: World, tree: Path, broken_installer: str) -> None:
    """Typed with a pip that does nothing: the interpreter of the tests has everything already."""
    said = run([str(tree / "scripts/wt"), "status"], world, PATH=broken_installer).stderr
    typed = said.rpartition("Type: ")[2]
    real = shlex.quote(str(ROOT / ".venv/bin/python"))
    fake(world.root / "bin", "python3", f'''if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\nexec {real} "$@"\\n' > "$3/bin/python"; printf '#!/bin/sh\\n' > "$3/bin/pip"; chmod +x "$3/bin/python" "$3/bin/pip"
else
    exec {shlex.quote(sys.executable)} "$@"
fi''')
    done = run(["sh", "-c", typed], world, PATH=broken_installer)
    assert done.returncode == 0, f"{typed}\n{done.stderr}"
    assert run([str(tree / "scripts/wt"), "status"], world, PATH=broken_installer).returncode == 0


def reachable(folder: Path) -> bool:
    try:
        words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder), "filelock"]
        return subprocess.run(words, capture_output=True, timeout=30, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@pytest.fixture
def network(tmp_path: Path) -> Iterator[dict[str, str]]:
    """What pip needs here to reach an index, as the machine sets it."""
    if not os.environ.get("CI") and not reachable(tmp_path):
        pytest.skip("PyPI cannot be reached")
    yield {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "UV_")) or name.lower().endswith("_proxy")}


def test_the_first_call_of_a_person_sets_it_up_and_the_second_finds_it(world: World, tree: Path, network: dict[str, str]) -> None:
    first = run([str(tree / "scripts/wt"), "status"], world, timeout=300, **network)
    assert first.returncode == 0, first.stderr
    assert "setting up wt (once)" in first.stderr
    assert "main checkout" in first.stdout
    agents = run([str(tree / "scripts/wt"), "status"], world, CLAUDECODE="1")
    assert (agents.returncode, agents.stderr, agents.stdout) == (0, "", first.stdout)
